/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.client.Query;
import dev.baton.cli.command.CliFailure;
import dev.baton.cli.command.ExitCode;
import dev.baton.cli.stack.StackInfo;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.Objects;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Reads objects of the demo's own store with an address signed as S3 wants it (Signature Version 4,
 * in the query).
 */
final class ObjectStore {
  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);
  private static final String ALGORITHM = "AWS4-HMAC-SHA256";
  private static final Duration BOUND = Duration.ofSeconds(60);

  private final URI endpoint;
  private final JsonNode access;
  private final Clock clock;

  ObjectStore(URI endpoint, JsonNode access, Clock clock) {
    this.endpoint = endpoint;
    this.access = access;
    this.clock = clock;
  }

  static ObjectStore of(StackInfo stack) {
    return new ObjectStore(
        URI.create(Objects.requireNonNull(stack.url("s3"), "stack.json has no object store")),
        stack.json().path("s3"),
        Clock.systemUTC());
  }

  /** The object's bytes; the caller closes them. */
  InputStream get(String key) throws IOException, InterruptedException {
    HttpClient http = HttpClient.newHttpClient();
    HttpResponse<InputStream> answer =
        http.send(
            HttpRequest.newBuilder(sign(key)).timeout(BOUND).build(),
            HttpResponse.BodyHandlers.ofInputStream());
    if (answer.statusCode() != 200) {
      try (InputStream body = answer.body()) {
        throw CliFailure.of(
            ExitCode.FAILED,
            "the object store answered %d for %s: %s"
                .formatted(
                    answer.statusCode(),
                    key,
                    new String(body.readNBytes(500), StandardCharsets.UTF_8)));
      }
    }
    return answer.body();
  }

  /** A GET that anyone with this address may do for five minutes. */
  URI sign(String key) {
    String stamp = STAMP.format(clock.instant());
    String day = stamp.substring(0, 8);
    String scope = day + "/" + access.path("region").asText() + "/s3/aws4_request";
    String path = "/" + access.path("bucket").asText() + "/" + key;
    String query =
        Query.of("")
            .with("X-Amz-Algorithm", ALGORITHM)
            .with("X-Amz-Credential", access.path("access_key").asText() + "/" + scope)
            .with("X-Amz-Date", stamp)
            .with("X-Amz-Expires", "300")
            .with("X-Amz-SignedHeaders", "host")
            .toString()
            .substring(1);
    String request =
        String.join(
            "\n",
            "GET",
            path,
            query,
            "host:" + endpoint.getAuthority(),
            "",
            "host",
            "UNSIGNED-PAYLOAD");
    String text = String.join("\n", ALGORITHM, stamp, scope, sha256(request));
    byte[] signingKey =
        ("AWS4" + access.path("secret_key").asText()).getBytes(StandardCharsets.UTF_8);
    for (String part : scope.split("/", -1)) {
      signingKey = hmac(signingKey, part);
    }
    String signature = HexFormat.of().formatHex(hmac(signingKey, text));
    return URI.create(endpoint + path + "?" + query + "&X-Amz-Signature=" + signature);
  }

  private static byte[] hmac(byte[] key, String text) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has HMAC-SHA-256", e);
    }
  }

  private static String sha256(String text) {
    try {
      return HexFormat.of()
          .formatHex(
              MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
