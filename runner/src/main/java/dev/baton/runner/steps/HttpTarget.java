/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.steps;

import java.net.IDN;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.net.URIAuthority;

/**
 * The target of a request.
 *
 * @param host scheme, name and port; equal for two targets of one origin
 * @param path with its query, as in the request line
 */
record HttpTarget(HttpHost host, String path) {
  private static final int HTTP_PORT = 80;
  private static final int HTTPS_PORT = 443;

  /**
   * Parses an absolute URL. Accepts hosts that {@link URI} does not recognize: names with
   * underscores, as in container networks, and non-ASCII names.
   *
   * @throws IllegalArgumentException when it is not an http or https URL
   */
  static HttpTarget of(String url) {
    return of(parse(url), url);
  }

  /**
   * Returns the target of a redirect.
   *
   * @param location absolute or relative to this one
   * @throws IllegalArgumentException when it is not an http or https URL
   */
  HttpTarget redirected(String location) {
    return of(URI.create(host.toURI() + "/").resolve(base()).resolve(parse(location)), location);
  }

  private URI base() {
    return parse(path);
  }

  private static URI parse(String url) {
    try {
      return new URI(url);
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(
          "'%s' is not a valid URL: %s".formatted(StepResult.shorten(url), e.getReason()), e);
    }
  }

  private static HttpTarget of(URI uri, String text) {
    String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
    String authority = uri.getRawAuthority();
    if (!scheme.equals("http") && !scheme.equals("https") || authority == null) {
      throw new IllegalArgumentException(
          "'%s' is not an http or https URL".formatted(StepResult.shorten(text)));
    }
    int port;
    String name;
    try {
      URIAuthority parsed = URIAuthority.create(authority);
      port =
          parsed.getPort() >= 0 ? parsed.getPort() : scheme.equals("http") ? HTTP_PORT : HTTPS_PORT;
      name = IDN.toASCII(parsed.getHostName(), IDN.ALLOW_UNASSIGNED).toLowerCase(Locale.ROOT);
    } catch (URISyntaxException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "'%s' has no valid host: %s".formatted(StepResult.shorten(text), e.getMessage()), e);
    }
    if (name.isBlank()) {
      throw new IllegalArgumentException("'%s' has no host".formatted(StepResult.shorten(text)));
    }
    String path = uri.getRawPath() == null || uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
    String whole = uri.getRawQuery() == null ? path : path + "?" + uri.getRawQuery();
    return new HttpTarget(new HttpHost(scheme, name, port), URI.create(whole).toASCIIString());
  }

  boolean isSecure() {
    return host.getSchemeName().equals("https");
  }

  boolean isSameOrigin(HttpTarget other) {
    return host.equals(other.host);
  }

  /** For messages: never contains the path, which may hold a secret. */
  @Override
  public String toString() {
    return host.toHostString();
  }
}
