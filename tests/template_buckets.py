"""Buckets as the template describes them, made in whatever S3 a test has before it."""

from typing import TYPE_CHECKING, Any

import sam_template

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import BucketLifecycleConfigurationTypeDef


def create_bucket(client: "S3Client", logical_id: str) -> str:
    """One bucket with the template's versioning, lifecycle and CORS; its name."""
    described = sam_template.resources("AWS::S3::Bucket")[logical_id]
    name = logical_id.lower()
    client.create_bucket(Bucket=name)
    client.put_bucket_versioning(
        Bucket=name, VersioningConfiguration=described["VersioningConfiguration"]
    )
    client.put_bucket_lifecycle_configuration(
        Bucket=name, LifecycleConfiguration=lifecycle_of(described)
    )
    rules = [rule_of(rule) for rule in described["CorsConfiguration"]["CorsRules"]]
    client.put_bucket_cors(Bucket=name, CORSConfiguration={"CORSRules": rules})
    return name


def lifecycle_of(described: dict[str, Any]) -> "BucketLifecycleConfigurationTypeDef":
    """CloudFormation's form of lifecycle rules, in that of the service."""
    rules: list[Any] = []
    for rule in described["LifecycleConfiguration"]["Rules"]:
        told = {
            "ID": rule["Id"],
            "Status": rule["Status"],
            "Filter": {"Prefix": rule.get("Prefix", "")},
        }
        if "ExpirationInDays" in rule:
            told["Expiration"] = {"Days": rule["ExpirationInDays"]}
        if "ExpiredObjectDeleteMarker" in rule:
            told["Expiration"] = {"ExpiredObjectDeleteMarker": rule["ExpiredObjectDeleteMarker"]}
        for name in ("NoncurrentVersionExpiration", "AbortIncompleteMultipartUpload"):
            if name in rule:
                told[name] = rule[name]
        rules.append(told)
    return {"Rules": rules}


def rule_of(rule: dict[str, Any]) -> Any:
    """CloudFormation's form of a CORS rule, in that of the service."""
    renamed = {"ExposedHeaders": "ExposeHeaders", "MaxAge": "MaxAgeSeconds"}
    return {renamed.get(name, name): value for name, value in rule.items()}
