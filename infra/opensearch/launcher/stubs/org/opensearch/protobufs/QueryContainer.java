package org.opensearch.protobufs;

/** As the gRPC transport's converter: a name only. */
public final class QueryContainer {

  public enum QueryContainerCase {}
}
