/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.attacks;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.acceptance.Await;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Attacks of a runner with a lease of its own on the checkpoints of other runs. */
final class ChunkAttackFamily {
  private static final int DIGEST_BYTES = 32;

  private ChunkAttackFamily() {}

  static List<ReplayedAttack> attacks() {
    return List.of(
        new ReplayedAttack(
            "add a chunk to the verified pack of another run, which checkpoints of others then"
                + " lack",
            "not in any pack",
            ChunkAttackFamily::addAChunk));
  }

  /** An external run. */
  private record External(String run, String lease) {
    static External create(VictimClient owner) throws Exception {
      JsonNode created =
          VictimClient.require(
              owner
                  .http()
                  .post(
                      "/runs",
                      AttackHttpClient.JSON_TYPE,
                      "{\"kind\": \"external\", \"workflow\": \"elsewhere\"}"));
      External run = new External(created.path("id").asText(), created.path("lease").asText());
      Await.until(
          "the store has run " + run.run,
          VictimClient.LONG,
          () -> owner.types(run.run).contains("run_created"));
      return run;
    }

    StoreRequestBuilder request(AttackTarget target) {
      return new StoreRequestBuilder(target.version(), run, 1, lease);
    }
  }

  private static AttackOutcome addAChunk(AttackTarget target) throws Exception {
    VictimClient owner = target.owner();
    String checkpoint = verifiedCheckpoint(target, StoreAttackFamily.runWithFiles(owner));
    External attacker = External.create(owner);
    External other = External.create(owner);
    byte[] foreign = new byte[DIGEST_BYTES];
    Arrays.fill(foreign, (byte) 7);
    try (RawGrpcClient store = new RawGrpcClient(target.store(), Optional.empty())) {
      byte[] opened =
          store
              .call(
                  target.version().checkpointsMethod("OpenCheckpoint"),
                  attacker.request(target).with(2, checkpoint.getBytes(UTF_8)))
              .getFirst();
      byte[] pack = WireMessage.all(opened, 2).getFirst();
      WireMessage registered =
          new WireMessage()
              .bytes(1, WireMessage.all(pack, 1).getFirst())
              .number(2, WireMessage.number(pack, 2))
              .number(3, WireMessage.number(pack, 3))
              .bytes(4, foreign);
      store.call(
          target.version().checkpointsMethod("RegisterPacks"),
          attacker.request(target).with(2, registered.bytes()));
      byte[] found =
          store
              .call(
                  target.version().checkpointsMethod("FindChunks"),
                  other.request(target).with(2, foreign))
              .getFirst();
      // Packed numbers: the place of each chunk, 0 for none.
      List<byte[]> places = WireMessage.all(found, 2);
      boolean has = !places.isEmpty() && places.getFirst()[0] > 0;
      return has
          ? AttackOutcome.succeeded("another run is sent to the pack for a chunk it does not have")
          : AttackOutcome.refused("the chunk is not in any pack");
    }
  }

  private static String verifiedCheckpoint(AttackTarget target, String run) throws Exception {
    VictimClient owner = target.owner();
    String checkpoint =
        owner.events(run).stream()
            .map(event -> event.path("data").path("cut").path("checkpoint").asText())
            .filter(id -> !id.isEmpty())
            .findFirst()
            .orElseThrow();
    String path = target.version().checkpointsPath + "/" + checkpoint;
    Await.until(
        "checkpoint " + checkpoint + " is verified",
        VictimClient.LONG,
        () ->
            VictimClient.require(owner.http().get(path))
                .path("verification")
                .asText()
                .equals("verified"));
    return checkpoint;
  }
}
