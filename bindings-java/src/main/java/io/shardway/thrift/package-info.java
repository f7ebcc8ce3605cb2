/**
 * A partition-aware client of Thrift services, over {@code org.apache.thrift:libthrift}, which is
 * an optional dependency: the rest of the library works without it.
 */
package io.shardway.thrift;
