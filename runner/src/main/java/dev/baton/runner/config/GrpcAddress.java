/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Arrays;
import java.util.List;

/**
 * Address of a service's gRPC endpoint, without TLS.
 *
 * @param port 1 to 65535
 */
public record GrpcAddress(String host, int port) {
  private static final int HTTP = 80;

  /**
   * Parses {@code http://host:port}.
   *
   * @throws ConfigException that names the key
   */
  public static GrpcAddress parse(String key, String url) {
    try {
      URI uri = new URI(url);
      if ("http".equals(uri.getScheme()) && uri.getHost() != null) {
        return new GrpcAddress(uri.getHost(), uri.getPort() < 0 ? HTTP : uri.getPort());
      }
    } catch (URISyntaxException notAUrl) {
      // Reported below, as for a URL of another scheme.
    }
    throw new ConfigException(key, url, "http://<host>:<port>");
  }

  /**
   * Parses one or more such URLs, separated by commas: a service's replicas, in the order in which
   * they are tried.
   *
   * @throws ConfigException that names the key
   */
  public static List<GrpcAddress> parseAll(String key, String urls) {
    return Arrays.stream(urls.split(",", -1)).map(url -> parse(key, url.strip())).toList();
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
