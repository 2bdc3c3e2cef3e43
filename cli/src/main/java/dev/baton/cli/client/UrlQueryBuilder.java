/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.client;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Builds a path with a query; omits parameters that are null. */
public final class UrlQueryBuilder {
  private final StringBuilder path;
  private char separator = '?';

  private UrlQueryBuilder(String path) {
    this.path = new StringBuilder(path);
  }

  public static UrlQueryBuilder of(String path) {
    return new UrlQueryBuilder(path);
  }

  public UrlQueryBuilder with(String name, @Nullable Object value) {
    if (value != null) {
      path.append(separator).append(name).append('=').append(encode(value.toString()));
      separator = '&';
    }
    return this;
  }

  /** Encodes one path segment or one query value. */
  public static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
