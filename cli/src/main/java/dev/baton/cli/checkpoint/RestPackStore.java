/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.client.OrchestratorRestClient;
import dev.baton.cli.command.CliException;
import dev.baton.protocol.retry.Backoff;
import dev.baton.snapshot.Pack;
import dev.baton.snapshot.PackRef;
import dev.baton.snapshot.PackStore;
import dev.baton.snapshot.format.Hash;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;

/**
 * Stores the packs of an external run: requests presigned addresses from the server and uploads to
 * the object store, with at most five attempts per pack. Thread-safe.
 */
final class RestPackStore implements PackStore, AutoCloseable {
  private static final int ATTEMPTS = 5;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);
  private static final Duration ONE = Duration.ofMinutes(2);

  /** Headers that the HTTP client sets itself. */
  private static final Set<String> NOT_TO_BE_SET = Set.of("host", "content-length", "connection");

  private final OrchestratorRestClient client;
  private final String path;
  private final HttpClient http = OrchestratorRestClient.http(true);
  private final LongAdder sent = new LongAdder();
  private final LongConsumer progress;

  /**
   * @param progress gets the number of bytes uploaded so far
   */
  RestPackStore(OrchestratorRestClient client, String run, LongConsumer progress) {
    this.client = client;
    this.path = "/runs/" + run + "/packs";
    this.progress = progress;
  }

  @Override
  public Map<Hash, PackRef> find(Collection<Hash> chunks) throws IOException {
    byte[] digests = new byte[chunks.size() * Hash.BYTES];
    int at = 0;
    for (Hash chunk : chunks) {
      chunk.write(digests, at);
      at += Hash.BYTES;
    }
    JsonNode answer =
        told(() -> client.post(path + "/find", digests, "application/octet-stream", Map.of()));
    Map<Hash, PackRef> found = new HashMap<>();
    int i = 0;
    for (Hash chunk : chunks) {
      int place = answer.path("places").path(i++).asInt();
      if (place > 0) {
        found.put(chunk, pack(answer.path("packs").path(place - 1)));
      }
    }
    return found;
  }

  private static PackRef pack(JsonNode pack) throws IOException {
    try {
      return new PackRef(
          Hash.parse(pack.path("digest").asText()),
          pack.path("size_bytes").asLong(),
          pack.path("index_bytes").asInt());
    } catch (IllegalArgumentException e) {
      throw new IOException("the server returned an invalid pack name: " + e.getMessage(), e);
    }
  }

  @Override
  public void put(Pack pack) throws IOException, InterruptedException {
    Backoff backoff = Backoff.exponential(FIRST_PAUSE, LONGEST_PAUSE);
    for (int attempt = 1; ; attempt++) {
      try {
        upload(pack);
        break;
      } catch (IOException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
      backoff.pause();
    }
    byte[] chunks = new byte[pack.chunks().size() * Hash.BYTES];
    for (int i = 0; i < pack.chunks().size(); i++) {
      pack.chunks().get(i).write(chunks, i * Hash.BYTES);
    }
    ObjectNode uploaded =
        described(pack).put("index_bytes", pack.ref().indexBytes()).put("chunks", chunks);
    told(() -> client.post(path, list(uploaded)));
  }

  private void upload(Pack pack) throws IOException, InterruptedException {
    JsonNode place =
        told(() -> client.post(path + "/uploads", list(described(pack)))).path("uploads").path(0);
    if (!place.path("present").asBoolean()) {
      send(pack, place);
    }
    sent.add(pack.length());
    progress.accept(sent.sum());
  }

  private void send(Pack pack, JsonNode place) throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(place.path("put_url").asText()))
            .PUT(BodyPublishers.ofByteArray(pack.bytes(), 0, pack.length()));
    for (var header : place.path("headers").properties()) {
      if (!NOT_TO_BE_SET.contains(header.getKey().toLowerCase(Locale.ROOT))) {
        request.header(header.getKey(), header.getValue().asText());
      }
    }
    int status =
        PresignedRequestSender.send(http, request, BodyHandlers.discarding(), ONE).statusCode();
    // 412: another writer was first, with the same bytes.
    if (status / 100 != 2 && status != 412) {
      throw new IOException(
          "the object store answered %d to pack %s".formatted(status, pack.ref().id()));
    }
  }

  private static ObjectNode described(Pack pack) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("digest", pack.ref().id().toString())
        .put("size_bytes", pack.ref().size());
  }

  private static ObjectNode list(ObjectNode pack) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.putArray("packs").addAll(List.of(pack));
    return body;
  }

  @FunctionalInterface
  private interface Call {
    JsonNode run();
  }

  /** Converts other failures to I/O exceptions: the threads of a capture handle only these. */
  private static JsonNode told(Call call) throws IOException {
    try {
      return call.run();
    } catch (CliException failure) {
      throw new IOException(failure.line(), failure);
    }
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
