package org.opensearch.transport.grpc.spi;

/** As {@link QueryBuilderProtoConverter}: a name only. */
public interface QueryBuilderProtoConverterRegistry {}
