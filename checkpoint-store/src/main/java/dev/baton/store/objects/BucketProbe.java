/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.objects;

import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.scheduling.Await;
import dev.baton.transfer.ObjectRefusedException;
import dev.baton.transfer.PresignedObjectClient;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Probes the features that Baton requires of an object store, with one object that it removes
 * again. Blocks.
 */
final class BucketProbe {
  private static final String FOLDER = "probes/";
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final byte[] RIGHT = "baton".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] WRONG = "not it".getBytes(StandardCharsets.US_ASCII);

  private final PresignedObjectClient objects = PresignedObjectClient.withStallLimit(PATIENCE);
  private final BucketClient bucket;

  BucketProbe(BucketClient bucket) {
    this.bucket = bucket;
  }

  List<String> missing() {
    String key = FOLDER + UUID.randomUUID();
    List<String> missing = new ArrayList<>();
    try {
      if (refusal(key, WRONG) == null) {
        missing.add("rejection of an upload whose bytes do not match its SHA-256");
      }
      ObjectRefusedException refused = refusal(key, RIGHT);
      if (refused != null) {
        missing.add(
            "upload to a presigned URL with a checksum (HTTP status " + refused.status() + ")");
        return missing;
      }
      if (!part(key).equals("ato")) {
        missing.add("read of a part of an object");
      }
      if (!bucket.list(FOLDER).iterator().hasNext()) {
        missing.add("listing of an object that was just written");
      }
      Await.get(bucket.remove(key));
      if (Await.get(bucket.size(key)).isPresent()) {
        missing.add("absence of an object that was just removed");
      }
    } catch (IOException e) {
      throw StoreRequestException.unavailable(
          "the object store at %s did not answer: %s".formatted(bucket.where(), e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw StoreRequestException.unavailable("interrupted");
    }
    return missing;
  }

  /** Uploads the bytes and returns null; if the object store refuses them, returns its answer. */
  private @Nullable ObjectRefusedException refusal(String key, byte[] bytes)
      throws IOException, InterruptedException {
    Map<String, String> headers = BucketClient.checksum(digest());
    try {
      objects.put(bucket.putUrl(key, headers), headers, bytes, bytes.length);
      return null;
    } catch (ObjectRefusedException e) {
      return e;
    }
  }

  private String part(String key) throws IOException {
    try (InputStream part = bucket.open(key, 1, 3L)) {
      return new String(part.readNBytes(RIGHT.length), StandardCharsets.US_ASCII);
    }
  }

  private static byte[] digest() {
    try {
      return MessageDigest.getInstance("SHA-256").digest(RIGHT);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
