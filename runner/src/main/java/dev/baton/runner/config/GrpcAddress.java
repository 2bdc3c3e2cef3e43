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
 * Address of a service's gRPC endpoint.
 *
 * @param port 1 to 65535
 * @param tls whether it is reached with TLS
 */
public record GrpcAddress(String host, int port, boolean tls) {
  private static final int HTTP = 80;
  private static final int HTTPS = 443;

  /** An address without TLS. */
  public GrpcAddress(String host, int port) {
    this(host, port, false);
  }

  /**
   * Parses {@code http://host:port} or {@code https://host:port}.
   *
   * @throws ConfigException that names the key
   */
  public static GrpcAddress parse(String key, String url) {
    try {
      URI uri = new URI(url);
      boolean tls = "https".equals(uri.getScheme());
      if ((tls || "http".equals(uri.getScheme())) && uri.getHost() != null) {
        int standard = tls ? HTTPS : HTTP;
        return new GrpcAddress(uri.getHost(), uri.getPort() < 0 ? standard : uri.getPort(), tls);
      }
    } catch (URISyntaxException notAUrl) {
      // Reported below, as for a URL of another scheme.
    }
    throw new ConfigException(key, url, "http://<host>:<port> or https://<host>:<port>");
  }

  /**
   * Parses one or more such URLs, separated by commas: a service's replicas, in the order in which
   * they are tried. All of them use TLS, or none.
   *
   * @throws ConfigException that names the key
   */
  public static List<GrpcAddress> parseAll(String key, String urls) {
    List<GrpcAddress> all =
        Arrays.stream(urls.split(",", -1)).map(url -> parse(key, url.strip())).toList();
    if (all.stream().map(GrpcAddress::tls).distinct().count() > 1) {
      throw new ConfigException(key, urls, "URLs with the same scheme");
    }
    return all;
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
