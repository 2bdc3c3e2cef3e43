/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.attacks;

import dev.baton.acceptance.Await;
import dev.baton.acceptance.attacks.RawGrpcClient.RawStream;
import dev.baton.acceptance.attacks.RawGrpcClient.Received;
import io.grpc.Status;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** Attacks of programs that pretend to be a runner at the orchestrator's gateway. */
final class GatewayAttackFamily {
  private static final long MOST_SLOTS = Integer.MAX_VALUE;
  private static final String SECRET = "secret-of-a-light-run";
  private static final int TRIES = 20;
  private static final long TRY_MILLIS = 3_000;
  private static final long ANSWER_MILLIS = 30_000;

  // Fields of the messages of both directions.
  private static final int HELLO = 1;
  private static final int CONFIRM = 40;
  private static final int ASSIGN = 1;
  private static final int FENCED = 5;
  private static final int CONFIRMED = 40;

  private GatewayAttackFamily() {}

  static List<ReplayedAttack> attacks() {
    return List.of(
        new ReplayedAttack(
            "attach as a runner, without a token, and get runs with inputs and leases",
            "UNAUTHENTICATED",
            target -> takeLightRuns(target, Optional.empty())),
        new ReplayedAttack(
            "attach with 2147483647 slots, so that each light run is assigned to it",
            "INVALID_ARGUMENT",
            target -> takeLightRuns(target, target.attachToken())),
        new ReplayedAttack(
            "attach under the name of a live runner, so that its run fails over",
            "UNAUTHENTICATED",
            GatewayAttackFamily::takeAName),
        new ReplayedAttack(
            "confirm the run of another runner, so that its failover waits",
            "fenced",
            GatewayAttackFamily::confirmAForeignRun));
  }

  private static WireMessage hello(String name, String mode, long slots) {
    WireMessage hello =
        new WireMessage()
            .text(1, name)
            .number(2, 1)
            .text(3, "elsewhere")
            .number(4, slots)
            .text(60, mode);
    return new WireMessage().message(HELLO, hello);
  }

  private static AttackOutcome takeLightRuns(AttackTarget target, Optional<String> token)
      throws Exception {
    VictimClient owner = target.owner();
    try (RawGrpcClient gateway = new RawGrpcClient(target.orchestrator(), token)) {
      RawStream stream = gateway.open(target.version().gatewayMethod("Attach"));
      stream.send(hello("stranger", "shared", MOST_SLOTS));
      // A run that was started before the runner is attached goes to another.
      for (int n = 0; n < TRIES; n++) {
        String run =
            owner.start(
                "{name: light, steps: [{id: one, transform: '1'}]}",
                "{\"text\": \"" + SECRET + "\"}");
        Optional<Received> next = stream.next(TRY_MILLIS);
        while (next.isPresent()) {
          switch (next.get()) {
            case Received.Ended(Status status) -> {
              owner.awaitStatus(run, "completed");
              return AttackOutcome.refused("%s", RawGrpcClient.shown(status));
            }
            case Received.Message(byte[] message) -> {
              for (byte[] assign : WireMessage.all(message, ASSIGN)) {
                owner.cancelIfOpen(run);
                return assigned(assign);
              }
            }
          }
          next = stream.next(TRY_MILLIS);
        }
      }
    }
    throw new AssertionError("neither refused nor assigned");
  }

  private static AttackOutcome assigned(byte[] assign) {
    boolean input = new String(assign, StandardCharsets.UTF_8).contains(SECRET);
    boolean lease = WireMessage.text(assign, 3).split("\\.", -1).length == 3;
    if (!input || !lease) {
      throw new AssertionError("assigned without an input or a lease");
    }
    return AttackOutcome.succeeded("a run with its input and a lease");
  }

  private static AttackOutcome takeAName(AttackTarget target) throws Exception {
    VictimClient owner = target.owner();
    Path gate = target.newFile("gate");
    String run = owner.startGated("name-taken", gate);
    String runner = owner.run(run).path("runner").path("id").asText();
    try (RawGrpcClient gateway = new RawGrpcClient(target.orchestrator(), Optional.empty())) {
      RawStream stream = gateway.open(target.version().gatewayMethod("Attach"));
      stream.send(hello(runner, "isolated", 1));
      AtomicReference<Received> last = new AtomicReference<>();
      Await.until(
          "the run has failed over, or the stream has ended",
          VictimClient.LONG,
          () -> {
            stream.next(TRY_MILLIS).ifPresent(last::set);
            return last.get() instanceof Received.Ended || owner.epoch(run) > 1;
          });
      if (last.get() instanceof Received.Ended(Status status)) {
        Files.createFile(gate);
        owner.awaitStatus(run, "completed");
        return owner.epoch(run) == 1
            ? AttackOutcome.refused("%s; completed in epoch 1", RawGrpcClient.shown(status))
            : AttackOutcome.succeeded("%s, but it failed over", status.getCode());
      }
      owner.cancelIfOpen(run);
      return AttackOutcome.succeeded("the run failed over");
    }
  }

  private static AttackOutcome confirmAForeignRun(AttackTarget target) throws Exception {
    VictimClient owner = target.owner();
    Path gate = target.newFile("gate");
    String run = owner.startGated("confirmed", gate);
    try (RawGrpcClient gateway = new RawGrpcClient(target.orchestrator(), target.attachToken())) {
      RawStream stream = gateway.open(target.version().gatewayMethod("Attach"));
      stream.send(hello("stranger-who-confirms", "isolated", 1));
      stream.send(
          new WireMessage()
              .message(CONFIRM, new WireMessage().text(1, run).number(2, 1).number(3, 1)));
      Optional<Received> next = stream.next(ANSWER_MILLIS);
      while (next.isPresent()) {
        if (next.get() instanceof Received.Message(byte[] message)) {
          if (!WireMessage.all(message, CONFIRMED).isEmpty()) {
            return AttackOutcome.succeeded("confirmed");
          }
          if (!WireMessage.all(message, FENCED).isEmpty()) {
            return AttackOutcome.refused("fenced");
          }
        } else {
          throw new AssertionError("the stream ended: " + next.get());
        }
        next = stream.next(ANSWER_MILLIS);
      }
      throw new AssertionError("the confirmation was not answered");
    } finally {
      Files.createFile(gate);
    }
  }
}
