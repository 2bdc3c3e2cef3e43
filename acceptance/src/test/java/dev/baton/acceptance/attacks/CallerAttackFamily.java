/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.attacks;

import static dev.baton.acceptance.attacks.AttackHttpClient.JSON_TYPE;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.acceptance.Await;
import dev.baton.acceptance.attacks.AttackHttpClient.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Attacks of programs that reach the API: of other users of the host, or with a foreign name. */
final class CallerAttackFamily {
  private CallerAttackFamily() {}

  static List<ReplayedAttack> attacks() {
    return List.of(
        new ReplayedAttack(
            "start a program as the owner, without a credential",
            "401",
            CallerAttackFamily::startAProgram),
        new ReplayedAttack(
            "answer an approval under the name of another person",
            "admin key",
            CallerAttackFamily::answerAsAnother),
        new ReplayedAttack(
            "get the answer and the lease of another caller by its Idempotency-Key",
            "another run",
            CallerAttackFamily::repeatAForeignRequest));
  }

  private static AttackOutcome startAProgram(AttackTarget target) throws Exception {
    Path proof = target.newFile("started");
    Answer answer = target.stranger().post("/runs", JSON_TYPE, touch(proof));
    return started(target, proof, answer);
  }

  /** Returns the body of a request for a run that creates a file. */
  static String touch(Path proof) throws IOException {
    return AttackHttpClient.JSON.writeValueAsString(
        Map.of(
            "definition",
            Map.of(
                "name",
                "intruder",
                "steps",
                List.of(
                    Map.of(
                        "id", "touch", "shell", "touch '" + proof + "'", "workspace", "none")))));
  }

  /** Waits for the file if the run was accepted. */
  static AttackOutcome started(AttackTarget target, Path proof, Answer answer) throws Exception {
    if (answer.isSuccess()) {
      Await.until("the program has run", VictimClient.LONG, () -> Files.exists(proof));
      return AttackOutcome.succeeded("%d, and its program ran", answer.status());
    }
    boolean listed =
        !VictimClient.require(target.owner().http().get("/runs?workflow=intruder"))
            .path("runs")
            .isEmpty();
    return Files.exists(proof) || listed
        ? AttackOutcome.succeeded("%d, but it ran", answer.status())
        : AttackOutcome.refused("%d, no run", answer.status());
  }

  private static AttackOutcome answerAsAnother(AttackTarget target) throws Exception {
    VictimClient owner = target.owner();
    String run = owner.start("{name: release, steps: [{id: release, approval: 'Release it?'}]}");
    String approval = owner.awaitApproval(run);
    // Has a right to answer, but not under this name.
    VictimClient.require(
        target
            .thief()
            .post(
                owner.approvalPath(approval),
                JSON_TYPE,
                "{\"answer\": {\"approved\": true}, \"by\": \"the director\"}"));
    owner.awaitStatus(run, "completed");
    String by =
        owner.events(run).stream()
            .filter(event -> event.path("type").asText().endsWith("approval_answered"))
            .map(event -> event.path("data").path("by").asText())
            .findFirst()
            .orElse("");
    return by.equals("the director")
        ? AttackOutcome.succeeded("answered by %s", by)
        : AttackOutcome.refused("answered by %s", by);
  }

  private static AttackOutcome repeatAForeignRequest(AttackTarget target) throws Exception {
    Map<String, String> headers = new HashMap<>(JSON_TYPE);
    headers.put("Idempotency-Key", "nightly-2026-" + target.newFile("key").getFileName());
    String body = "{\"kind\": \"external\", \"workflow\": \"nightly\"}";
    JsonNode own = VictimClient.require(target.owner().http().post("/runs", headers, body));

    AttackHttpClient attacker =
        new AttackHttpClient(target.orchestrator(), keyOfAnOperator(target));
    JsonNode got = VictimClient.require(attacker.post("/runs", headers, body));

    boolean same = got.path("id").equals(own.path("id"));
    String lease = got.path("lease").asText();
    if (same && !lease.isEmpty() && lease.equals(own.path("lease").asText())) {
      return AttackOutcome.succeeded("the same run, with its lease");
    }
    if (same) {
      throw new AssertionError("the same run, but another lease: " + got);
    }
    return AttackOutcome.refused("another run, with a lease of its own");
  }

  /** Returns a key of another person where there are keys. */
  private static Optional<String> keyOfAnOperator(AttackTarget target) throws Exception {
    if (target.ownerKey().isEmpty()) {
      return Optional.empty();
    }
    JsonNode created =
        VictimClient.require(
            target
                .owner()
                .http()
                .post("/api-keys", JSON_TYPE, "{\"name\": \"other\", \"role\": \"operator\"}"));
    return Optional.of(created.path("key").asText());
  }
}
