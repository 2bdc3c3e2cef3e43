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
import dev.baton.snapshot.Pack;
import dev.baton.snapshot.PackRef;
import dev.baton.snapshot.PackStore;
import dev.baton.snapshot.format.Hash;
import dev.baton.transfer.ChunkPlaceDecoder;
import dev.baton.transfer.RetryBudget;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;

/**
 * Stores the packs of an external run: requests presigned addresses from the server and uploads to
 * the object store, with at most five attempts per pack. Thread-safe.
 */
final class RestPackStore implements PackStore {
  private static final int ATTEMPTS = 5;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

  private final OrchestratorRestClient client;
  private final String path;
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
    byte[] digests = Hash.concat(chunks);
    JsonNode answer =
        told(() -> client.post(path + "/find", digests, "application/octet-stream", Map.of()));
    List<PackRef> packs = new ArrayList<>();
    for (JsonNode pack : answer.path("packs")) {
      packs.add(pack(pack));
    }
    List<Integer> places = new ArrayList<>();
    answer.path("places").forEach(place -> places.add(place.asInt()));
    return ChunkPlaceDecoder.decode(chunks, places, packs);
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
    RetryBudget.ofAttempts(ATTEMPTS, FIRST_PAUSE, LONGEST_PAUSE).retry(() -> upload(pack));
    sent.add(pack.length());
    progress.accept(sent.sum());
    ObjectNode uploaded =
        described(pack)
            .put("index_bytes", pack.ref().indexBytes())
            .put("chunks", Hash.concat(pack.chunks()));
    told(() -> client.post(path, list(uploaded)));
  }

  private Pack upload(Pack pack) throws IOException, InterruptedException {
    JsonNode place =
        told(() -> client.post(path + "/uploads", list(described(pack)))).path("uploads").path(0);
    if (!place.path("present").asBoolean()) {
      Map<String, String> headers = new HashMap<>();
      place
          .path("headers")
          .properties()
          .forEach(header -> headers.put(header.getKey(), header.getValue().asText()));
      client.objects().put(place.path("put_url").asText(), headers, pack.bytes(), pack.length());
    }
    return pack;
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
}
