/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Writes refusals of callers: as gRPC statuses to gRPC clients, as problems to others. */
public final class CallerRefusalWriter {
  private static final int UNAUTHORIZED = 401;
  private static final HexFormat HEX = HexFormat.of().withUpperCase();

  private CallerRefusalWriter() {}

  /** Whether a request is a gRPC call. */
  public static boolean isGrpc(HttpServerRequest request) {
    String type = request.getHeader(HttpHeaders.CONTENT_TYPE);
    return request.version() == HttpVersion.HTTP_2
        && type != null
        && type.startsWith("application/grpc");
  }

  /**
   * Refuses a request whose body is not read.
   *
   * @param status of HTTP
   * @param grpcStatus the number of the gRPC status
   * @param message any text
   * @param problem written as JSON
   */
  public static void refuse(
      HttpServerRequest request, int status, int grpcStatus, String message, Object problem) {
    if (isGrpc(request)) {
      request
          .response()
          .setStatusCode(200)
          .putHeader(HttpHeaders.CONTENT_TYPE, "application/grpc")
          .putHeader("grpc-status", Integer.toString(grpcStatus))
          .putHeader("grpc-message", percentEncoded(message))
          .end();
      return;
    }
    if (status == UNAUTHORIZED) {
      request.response().putHeader("WWW-Authenticate", "Bearer realm=\"baton\"");
    }
    ProblemResponseWriter.refuse(request, status, problem);
  }

  /** Encodes a message as gRPC's HTTP/2 mapping requires. */
  static String percentEncoded(String message) {
    StringBuilder encoded = new StringBuilder();
    for (byte octet : message.getBytes(StandardCharsets.UTF_8)) {
      if (octet >= ' ' && octet <= '~' && octet != '%') {
        encoded.append((char) octet);
      } else {
        encoded.append('%').append(HEX.toHexDigits(octet));
      }
    }
    return encoded.toString();
  }
}
