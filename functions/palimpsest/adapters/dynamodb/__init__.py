"""The canonical table on DynamoDB: records, clocks, log, vectors, ledger (architecture: one table,
no index).
"""
