/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.attacks;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.baton.acceptance.Await;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Calls of the checkpoint-store without a lease, which the attacker need not have for the epoch 0
 * of services.
 */
final class StoreAttackFamily {
  private static final String SECRET = "secret-of-a-run";
  private static final Duration DOWNLOAD = Duration.ofSeconds(60);

  private StoreAttackFamily() {}

  static List<ReplayedAttack> attacks() {
    return List.of(
        new ReplayedAttack(
            "list and download the files of any run at the store, without a lease",
            "UNAUTHENTICATED",
            StoreAttackFamily::downloadFiles),
        new ReplayedAttack(
            "read the events of any run at the store, without a lease",
            "UNAUTHENTICATED",
            StoreAttackFamily::readEvents),
        new ReplayedAttack(
            "delete any run at the store, without a lease",
            "UNAUTHENTICATED",
            StoreAttackFamily::deleteARun));
  }

  /** Returns a completed run with a checkpoint, of which the store has all events. */
  static String runWithFiles(VictimClient owner) throws Exception {
    String run =
        owner.start(
            """
            name: files
            steps:
              - id: write
                shell: echo "$TEXT" > file
                env: {TEXT: "${{ .input.text }}"}
            """,
            "{\"text\": \"" + SECRET + "\"}");
    owner.awaitStatus(run, "completed");
    Await.until(
        "run " + run + " is stored",
        VictimClient.LONG,
        () -> owner.types(run).contains("run_completed"));
    return run;
  }

  private static AttackOutcome downloadFiles(AttackTarget target) throws Exception {
    String run = runWithFiles(target.owner());
    try (RawGrpcClient store = new RawGrpcClient(target.store(), Optional.empty())) {
      byte[] listed =
          store
              .call(
                  target.version().checkpointsMethod("ListCheckpoints"),
                  new WireMessage().text(1, run))
              .getFirst();
      String checkpoint = WireMessage.text(WireMessage.all(listed, 1).getFirst(), 1);
      byte[] opened =
          store
              .call(
                  target.version().checkpointsMethod("OpenCheckpoint"),
                  new StoreRequestBuilder(target.version(), run, 0, "")
                      .with(2, checkpoint.getBytes(UTF_8)))
              .getFirst();
      String url = WireMessage.text(WireMessage.all(opened, 2).getFirst(), 4);
      try (HttpClient http = HttpClient.newHttpClient()) {
        HttpResponse<byte[]> pack =
            http.send(
                HttpRequest.newBuilder(URI.create(url)).timeout(DOWNLOAD).build(),
                HttpResponse.BodyHandlers.ofByteArray());
        if (pack.statusCode() != 200 || pack.body().length == 0) {
          throw new AssertionError("the pack was not downloaded: " + pack);
        }
        return AttackOutcome.succeeded("%d bytes of its pack", pack.body().length);
      }
    } catch (StatusRuntimeException e) {
      return AttackOutcome.refused("%s", RawGrpcClient.shown(e.getStatus()));
    }
  }

  private static AttackOutcome readEvents(AttackTarget target) throws Exception {
    String run = runWithFiles(target.owner());
    try (RawGrpcClient store = new RawGrpcClient(target.store(), Optional.empty())) {
      List<byte[]> events = events(target, store, run);
      boolean read = events.stream().anyMatch(event -> new String(event, UTF_8).contains(SECRET));
      if (!read) {
        throw new AssertionError("the store answered without the run's input");
      }
      return AttackOutcome.succeeded("%d events, with its input", events.size());
    } catch (StatusRuntimeException e) {
      return AttackOutcome.refused("%s", RawGrpcClient.shown(e.getStatus()));
    }
  }

  private static AttackOutcome deleteARun(AttackTarget target) throws Exception {
    VictimClient owner = target.owner();
    String run = runWithFiles(owner);
    try (RawGrpcClient store = new RawGrpcClient(target.store(), Optional.empty())) {
      store.call(
          target.version().maintenanceMethod("DeleteRun"),
          new WireMessage().text(1, run).number(2, 1).number(3, 1));
      int left = events(target, store, run).size();
      if (left > 0) {
        throw new AssertionError("the store deleted the run, and has " + left + " events of it");
      }
      return AttackOutcome.succeeded("its events and files are gone");
    } catch (StatusRuntimeException e) {
      return owner.events(run).isEmpty()
          ? AttackOutcome.succeeded("%s, but its events are gone", e.getStatus().getCode())
          : AttackOutcome.refused("%s", RawGrpcClient.shown(e.getStatus()));
    }
  }

  private static List<byte[]> events(AttackTarget target, RawGrpcClient store, String run) {
    try {
      return store.call(target.version().snapshotsMethod("Events"), new WireMessage().text(1, run));
    } catch (StatusRuntimeException e) {
      if (e.getStatus().getCode() == Status.Code.NOT_FOUND) {
        return List.of();
      }
      throw e;
    }
  }
}
