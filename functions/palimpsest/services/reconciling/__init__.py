"""Reconcile: a namespace's records become exactly a list, under a fence.

`passes` answers a request and does short passes itself; `pass_steps` are the same steps for a
state machine. Both begin (`beginning`), plan (`planning`), embed (`preparing`), commit (`applying`)
and verify (`verifying`), and keep what lies between in `pass_files`.
"""
