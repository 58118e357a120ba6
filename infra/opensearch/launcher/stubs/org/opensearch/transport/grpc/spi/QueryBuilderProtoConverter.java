package org.opensearch.transport.grpc.spi;

/** Named by k-NN for the gRPC transport, which is not loaded: the name must exist, no more. */
public interface QueryBuilderProtoConverter {}
