/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.digest.Digest;
import dev.baton.protocol.expression.ExpressionScope;
import dev.baton.protocol.grpc.ObjectKind;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.JsonValueChecker;
import dev.baton.protocol.trace.Output;
import dev.baton.runner.outputs.OutputCache;
import dev.baton.runner.outputs.OutputLoader;
import dev.baton.runner.outputs.OutputUnavailableException;
import dev.baton.runner.outputs.ReferencedArray;
import dev.baton.runner.outputs.ReferencedObject;
import dev.baton.runner.outputs.ReferencedValue;
import dev.baton.runner.secrets.SecretMasker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jboss.logging.Logger;

/**
 * Stores the outputs of a run: inline in the event if they are small, as blobs otherwise. Blocking;
 * thread-safe.
 */
public final class OutputBlobStore implements OutputLoader {
  private static final Logger LOG = Logger.getLogger(OutputBlobStore.class);

  /** How long an output may wait for the object store; without it the step has no result. */
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private static final int MAX_BYTES = 64 << 20;

  /** Number of digests remembered of blobs that this runner has already stored, 71 bytes each. */
  private static final int KNOWN = 4_096;

  /** Maximum size of a prefetch, in bytes. */
  private static final long AHEAD_BYTES = 4L << 20;

  private final RunnerStoreClient store;
  private final StoreCaller holder;
  private final OutputCache cache;
  private final SecretMasker masker;
  private final Set<String> stored = Collections.synchronizedSet(new LinkedHashSet<>());

  public OutputBlobStore(RunnerStoreClient store, StoreCaller holder) {
    this(store, holder, new SecretMasker(), OutputCache.SHARED);
  }

  /**
   * @param masker of the run's secrets
   */
  public OutputBlobStore(RunnerStoreClient store, StoreCaller holder, SecretMasker masker) {
    this(store, holder, masker, OutputCache.SHARED);
  }

  OutputBlobStore(
      RunnerStoreClient store, StoreCaller holder, SecretMasker masker, OutputCache cache) {
    this.store = store;
    this.holder = holder;
    this.cache = cache;
    this.masker = masker;
  }

  /** Packs with {@link Output#INLINE_LIMIT}. */
  public Output pack(JsonNode value) throws StoreException, InterruptedException {
    return pack(value, Output.INLINE_LIMIT);
  }

  /**
   * Returns the value as it is written to an event; its blob, if it needs one, is durable.
   *
   * @param original value, whose secrets are masked
   * @param limit bytes of JSON that stay inline, at most {@link Output#INLINE_LIMIT}
   * @throws StoreException temporary when the blob could not be stored within ten minutes,
   *     permanent when it is larger than 64 MiB or contains what JSON cannot represent, see {@link
   *     JsonValueChecker}
   */
  public Output pack(JsonNode original, int limit) throws StoreException, InterruptedException {
    JsonNode value = masker.mask(original);
    if (value instanceof ReferencedValue parts) {
      byte[] index = bounded(parts.index());
      String digest = Digest.of(index);
      upload(digest, index);
      return remembered(new Output.Ref(digest, parts.sizeBytes(), parts.parts()), value);
    }
    String problem = JsonValueChecker.problem(value);
    if (problem != null) {
      throw new StoreException(
          "the output has " + problem + ", which JSON cannot represent", false);
    }
    if (JsonSizeChecker.isAtMost(value, limit)) {
      return new Output.Inline(value);
    }
    byte[] bytes = bounded(value);
    if (bytes.length <= limit) {
      return new Output.Inline(value);
    }
    String digest = Digest.of(bytes);
    upload(digest, bytes);
    return remembered(new Output.Ref(digest, bytes.length), value);
  }

  /** Returns a step's output as the output of the run: inline if it is small enough. */
  public Output unfolded(Output output) {
    return output instanceof Output.Ref ref
            && ref.parts() == null
            && ref.sizeBytes() <= Output.INLINE_LIMIT
        ? new Output.Inline(load(ref))
        : output;
  }

  private Output remembered(Output.Ref output, JsonNode value) {
    cache.put(output, value);
    return output;
  }

  /** Serializes a value up to the size limit: a failover could not read a larger blob. */
  private static byte[] bounded(Object value) throws StoreException {
    BoundedOutputStream bytes = new BoundedOutputStream(MAX_BYTES);
    try {
      Json.mapper().writeValue(bytes, value);
    } catch (IOException e) {
      throw new StoreException(
          bytes.isFull()
              ? "the output has more than %d bytes, the maximum".formatted(MAX_BYTES)
              : "the output cannot be written as JSON: " + e.getMessage(),
          false);
    }
    return bytes.toByteArray();
  }

  private void upload(String digest, byte[] bytes) throws StoreException, InterruptedException {
    if (stored.contains(digest)) {
      return;
    }
    StoreCallRetrier.until(
        PATIENCE,
        () -> {
          try {
            store.upload(holder, ObjectKind.OBJECT_KIND_BLOB, digest, bytes, bytes.length);
            return digest;
          } catch (IOException e) {
            throw new StoreException("output " + digest + ": " + e.getMessage(), true);
          }
        });
    synchronized (stored) {
      stored.add(digest);
      if (stored.size() > KNOWN) {
        stored.remove(stored.iterator().next());
      }
    }
  }

  /**
   * Returns the value of an output.
   *
   * @throws StoreException when its blob cannot be fetched within ten minutes, or does not match
   *     its digest
   */
  public JsonNode unpack(Output output) throws StoreException, InterruptedException {
    return switch (output) {
      case Output.Inline(JsonNode value) -> value;
      case Output.Ref ref -> {
        Optional<JsonNode> kept = cache.find(ref);
        if (kept.isPresent()) {
          yield kept.get();
        }
        JsonNode value =
            StoreCallRetrier.until(PATIENCE, () -> value(ref, download(ref, locate(ref))));
        cache.put(ref, value);
        yield value;
      }
    };
  }

  @Override
  public JsonNode load(Output output) {
    if (output instanceof Output.Inline(JsonNode value)) {
      return value;
    }
    long began = System.nanoTime();
    try {
      return unpack(output);
    } catch (StoreException e) {
      throw new OutputUnavailableException("an output cannot be fetched: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      throw new OutputUnavailableException("interrupted while an output was fetched", e);
    } finally {
      ExpressionScope.waited(System.nanoTime() - began);
    }
  }

  @Override
  public void prefetch(List<Output> outputs) {
    List<Output.Ref> missing = new ArrayList<>();
    long bytes = 0;
    for (Output output : outputs) {
      if (output instanceof Output.Ref ref && cache.find(ref).isEmpty()) {
        bytes += ref.parts() == null ? ref.sizeBytes() : 0;
        if (bytes > AHEAD_BYTES) {
          break;
        }
        missing.add(ref);
      }
    }
    if (missing.size() < 2) {
      return;
    }
    long began = System.nanoTime();
    try {
      List<Output.Ref> distinct = missing.stream().distinct().toList();
      List<String> urls =
          store.locate(
              holder,
              ObjectKind.OBJECT_KIND_BLOB,
              distinct.stream().map(Output.Ref::digest).toList());
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < distinct.size(); i++) {
        Output.Ref ref = distinct.get(i);
        String url = urls.get(i);
        threads.add(Thread.ofVirtual().name("output-ahead").start(() -> fetch(ref, url)));
      }
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (StoreException e) {
      LOG.debugf("outputs are fetched one by one: %s", e.getMessage());
    } catch (InterruptedException e) {
      throw new OutputUnavailableException("interrupted while outputs were fetched", e);
    } finally {
      ExpressionScope.waited(System.nanoTime() - began);
    }
  }

  private void fetch(Output.Ref ref, String url) {
    try {
      cache.put(ref, value(ref, download(ref, url)));
    } catch (StoreException | InterruptedException | UncheckedIOException e) {
      // Fetched again, with retries, when it is read.
      LOG.debugf("output %s was not fetched ahead: %s", ref.digest(), e.getMessage());
    }
  }

  private JsonNode value(Output.Ref ref, byte[] bytes) {
    if (ref.parts() == null) {
      return Json.tree(bytes);
    }
    // The bytes match their digest, so they are the bytes that were written.
    return bytes.length > 0 && bytes[0] == '['
        ? new ReferencedArray(read(bytes, new TypeReference<List<Output>>() {}), this)
        : new ReferencedObject(
            read(bytes, new TypeReference<LinkedHashMap<String, Output>>() {}), this);
  }

  private static <T> T read(byte[] bytes, TypeReference<T> type) {
    try {
      return Json.mapper().readValue(bytes, type);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String locate(Output.Ref ref) throws StoreException, InterruptedException {
    return store.locate(holder, ObjectKind.OBJECT_KIND_BLOB, List.of(ref.digest())).getFirst();
  }

  private byte[] download(Output.Ref ref, String url) throws StoreException, InterruptedException {
    String digest = ref.digest();
    boolean isWhole = ref.parts() == null;
    if (isWhole && ref.sizeBytes() > MAX_BYTES) {
      throw new StoreException("output " + digest + " has " + ref.sizeBytes() + " bytes", false);
    }
    try {
      return store.objects().get(url, digest, isWhole ? (int) ref.sizeBytes() : MAX_BYTES);
    } catch (IOException e) {
      throw new StoreException("output " + digest + ": " + e.getMessage(), true);
    }
  }
}
