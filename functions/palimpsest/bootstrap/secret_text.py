"""Secrets that settings name by their ARN."""


def secret_of(arn: str) -> str | None:
    """The text of a secret; None where none is named."""
    if not arn:
        return None
    import boto3

    return str(boto3.client("secretsmanager").get_secret_value(SecretId=arn)["SecretString"])
