"""The tools of an agent: one use case a file. Each answers text for a language model, or raises
`ToolRefused` with a sentence for it.
"""
