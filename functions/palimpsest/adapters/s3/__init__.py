"""S3: objects of the service itself, and uploads of its clients."""
