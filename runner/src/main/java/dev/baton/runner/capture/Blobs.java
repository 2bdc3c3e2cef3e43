/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.grpc.ObjectKind;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.Digest;
import dev.baton.protocol.trace.Output;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

/**
 * Outputs of a run: within the message while they are small, as blobs when they are not. Blocking;
 * thread-safe.
 */
public final class Blobs {
  /** How long an output may wait for the object store: without it the step has no result. */
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private static final long MAX_BYTES = 64L << 20;

  private final StoreClient store;
  private final Lease holder;

  public Blobs(StoreClient store, Lease holder) {
    this.store = store;
    this.holder = holder;
  }

  /**
   * The value as it goes into an event; the blob, if it needs one, is durable.
   *
   * @throws StoreException temporary when the blob could not be stored within ten minutes, for good
   *     when it is larger than 64 MiB
   */
  public Output pack(JsonNode value) throws StoreException, InterruptedException {
    if (JsonSize.isAtMost(value, Output.INLINE_LIMIT)) {
      return new Output.Inline(value);
    }
    byte[] bytes = Json.bytes(value);
    if (bytes.length <= Output.INLINE_LIMIT) {
      return new Output.Inline(value);
    }
    if (bytes.length > MAX_BYTES) {
      // What cannot be read back must not be written: a failover would need it.
      throw new StoreException(
          "the output has %d bytes, at most %d are allowed".formatted(bytes.length, MAX_BYTES),
          false);
    }
    String digest = Digest.of(bytes);
    Attempts.until(
        PATIENCE,
        () -> {
          try {
            store.upload(holder, ObjectKind.OBJECT_KIND_BLOB, digest, bytes);
            return digest;
          } catch (IOException e) {
            throw new StoreException("output " + digest + ": " + e.getMessage(), true);
          }
        });
    return new Output.Ref(digest, bytes.length);
  }

  /**
   * The value of an output.
   *
   * @throws StoreException when its blob cannot be had within ten minutes, or is not what its
   *     digest says
   */
  public JsonNode unpack(Output output) throws StoreException, InterruptedException {
    return switch (output) {
      case Output.Inline(JsonNode value) -> value;
      case Output.Ref(String digest, long size) ->
          Attempts.until(PATIENCE, () -> Json.tree(download(digest, size)));
    };
  }

  private byte[] download(String digest, long size) throws StoreException, InterruptedException {
    if (size > MAX_BYTES) {
      throw new StoreException("output " + digest + " has " + size + " bytes", false);
    }
    String url = store.locate(holder, ObjectKind.OBJECT_KIND_BLOB, digest);
    try (InputStream in = ObjectTransfer.get(url)) {
      byte[] bytes = in.readNBytes((int) size + 1);
      if (!Digest.of(bytes).equals(digest)) {
        throw new StoreException("output " + digest + " is damaged", true);
      }
      return bytes;
    } catch (IOException e) {
      throw new StoreException("output " + digest + ": " + e.getMessage(), true);
    }
  }
}
