/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.attacks;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.acceptance.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Attacks of programs of steps on their own run, their runner and the installation. */
final class StepAttackFamily {
  /** Variables of the services, which their runners inherit. */
  static final Map<String, String> SECRET_VARIABLES =
      Map.of(
          "GH_PAT", "ghp_0123456789abcdef", "DATABASE_URL", "postgres://user:secret@db.example/db");

  private static final Duration PIPE = Duration.ofSeconds(20);

  private StepAttackFamily() {}

  static List<ReplayedAttack> attacks() {
    return List.of(
        new ReplayedAttack(
            "as a step, approve the approval of its own run",
            "403",
            StepAttackFamily::approveItself),
        new ReplayedAttack(
            "as a step, print tokens of the runner's environment",
            "neither",
            StepAttackFamily::printVariables),
        new ReplayedAttack(
            "leave a named pipe as the output of a step, so that its run never ends",
            "not a regular file",
            StepAttackFamily::leaveAPipe),
        new ReplayedAttack(
            "put a NUL into a variable of a step, so that each of its runners dies",
            "env TEXT",
            StepAttackFamily::putANul),
        new ReplayedAttack(
            "use up the memory of a shared runner by an expression, so that all its runs fail over",
            "memory",
            StepAttackFamily::useUpMemory));
  }

  private static AttackOutcome approveItself(AttackTarget target) throws Exception {
    VictimClient owner = target.owner();
    Path known = target.newFile("approval");
    String run =
        owner.start(
            """
            name: self-approval
            steps:
              - id: both
                parallel:
                  branches:
                    person: [{id: release, approval: 'Release it?'}]
                    program:
                      - id: answer
                        interpreter: bash -eu -c
                        workspace: none
                        shell: |
                          until [ -s '%s' ]; do sleep 0.1; done
                          server=${BATON_SERVER%%%%,*} authority=${server#http://}
                          body='{"answer": {"approved": true}, "by": "the owner"}'
                          exec 3<>"/dev/tcp/${authority%%%%:*}/${authority##*:}"
                          printf '%%s\\r\\n' "POST $(cat '%s') HTTP/1.1" "Host: $authority" \\
                            "Authorization: Bearer ${BATON_API_KEY:-none}" 'Connection: close' \\
                            'Content-Type: application/json' "Content-Length: ${#body}" '' >&3
                          printf '%%s' "$body" >&3
                          cat <&3
            """
                .formatted(known, known));
    Path part = target.newFile("approval-part");
    Files.writeString(part, owner.approvalPath(owner.awaitApproval(run)));
    Files.move(part, known);

    Await.until(
        "the step has its answer",
        VictimClient.LONG,
        () -> owner.output(run, "answer").isPresent());
    String answer = owner.output(run, "answer").orElseThrow().lines().findFirst().orElse("");
    if (answer.contains(" 200 ")) {
      owner.awaitStatus(run, "completed");
      return AttackOutcome.succeeded("%s, and the run completed", answer);
    }
    boolean waits = !owner.run(run).path("waiting").isEmpty();
    owner.cancel(run);
    return waits
        ? AttackOutcome.refused("%s, the run waits", answer)
        : AttackOutcome.succeeded("%s, but the run does not wait", answer);
  }

  private static AttackOutcome printVariables(AttackTarget target) throws Exception {
    VictimClient owner = target.owner();
    String run = owner.start("{name: print, steps: [{id: print, shell: env, workspace: none}]}");
    owner.awaitStatus(run, "completed");
    String printed = owner.run(run).path("output").asText();
    List<String> found =
        SECRET_VARIABLES.entrySet().stream()
            .filter(variable -> printed.contains(variable.getValue()))
            .map(Map.Entry::getKey)
            .sorted()
            .toList();
    if (!printed.contains("BATON_RUN_ID=" + run)) {
      throw new AssertionError("no environment: " + printed);
    }
    return found.isEmpty()
        ? AttackOutcome.refused("neither variable")
        : AttackOutcome.succeeded("%s", found);
  }

  private static AttackOutcome leaveAPipe(AttackTarget target) throws Exception {
    VictimClient owner = target.owner();
    Path ended = target.newFile("ended");
    String run =
        owner.start(
            """
            name: pipe
            steps:
              - {id: pipe, shell: "mkfifo out; touch '%s'", output: {file: out}}
            """
                .formatted(ended));
    Await.until("the program has run", VictimClient.LONG, () -> Files.exists(ended));
    boolean failed = VictimClient.holdsWithin(PIPE, () -> owner.status(run).equals("failed"));
    JsonNode view = owner.run(run);
    owner.cancelIfOpen(run);
    return failed
        ? AttackOutcome.refused("%s", view.path("error").path("message").asText())
        : AttackOutcome.succeeded(
            "%d s after its program ended it is %s",
            PIPE.toSeconds(), view.path("status").asText());
  }

  private static AttackOutcome putANul(AttackTarget target) throws Exception {
    VictimClient owner = target.owner();
    String run =
        owner.start(
            """
            name: nul
            steps:
              - {id: read, shell: 'printf "left\\000right"', workspace: none}
              - {id: use, shell: 'printf %s "$TEXT"', env: {TEXT: "${{ .steps.read.output }}"}}
            """);
    Await.until(
        "the run fails, or fails over",
        VictimClient.LONG,
        () -> owner.epoch(run) > 2 || owner.status(run).equals("failed"));
    JsonNode view = owner.run(run);
    owner.cancelIfOpen(run);
    return view.path("epoch").asInt() > 1
        ? AttackOutcome.succeeded("%d runners have died of it", view.path("epoch").asInt() - 1)
        : AttackOutcome.refused("%s", view.path("error").path("message").asText());
  }

  private static AttackOutcome useUpMemory(AttackTarget target) throws Exception {
    VictimClient owner = target.owner();
    String neighbour = owner.start("{name: neighbour, steps: [{id: rest, wait: 10m}]}");
    Await.until(
        "the neighbour waits",
        VictimClient.LONG,
        () -> owner.types(neighbour).contains("step_started"));
    String greedy =
        owner.start("{name: greedy, steps: [{id: a, transform: '\"x\" * 1000000000 | length'}]}");
    Await.until(
        "the greedy run fails, or its neighbour fails over",
        VictimClient.LONG,
        () -> owner.epoch(neighbour) > 1 || owner.status(greedy).equals("failed"));
    JsonNode view = owner.run(greedy);
    int epoch = owner.epoch(neighbour);
    owner.cancelIfOpen(greedy);
    owner.cancelIfOpen(neighbour);
    return epoch > 1
        ? AttackOutcome.succeeded("another run of its runner failed over")
        : AttackOutcome.refused("%s", view.path("error").path("message").asText());
  }
}
