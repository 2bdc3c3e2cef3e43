/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.demo;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.command.CommandContext;
import dev.baton.protocol.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * Results of the agent's demo.
 *
 * @param files of the undisturbed run
 * @param sameFiles whether the killed run has the same
 * @param sameConversation whether the last requests of both runs have the same messages
 * @param session of the killed run
 * @param undisturbedCalls of the model
 * @param calls of the model in the killed run
 * @param underWay kills while an answer was on its way: it may be paid again
 * @param failures violations of the guarantees; empty when there are none
 */
record AgentDemoReport(
    AgentDemoFiles files,
    boolean sameFiles,
    boolean sameConversation,
    String session,
    int undisturbedCalls,
    int calls,
    int underWay,
    List<RunnerKill> kills,
    List<String> failures) {
  AgentDemoReport {
    kills = List.copyOf(kills);
    failures = List.copyOf(failures);
  }

  boolean passed() {
    return failures.isEmpty();
  }

  /** Adds the processes that were still running after the stop. */
  AgentDemoReport with(List<String> leftovers) {
    if (leftovers.isEmpty()) {
      return this;
    }
    List<String> more = new ArrayList<>(failures);
    more.add("still running after the stop: " + String.join("; ", leftovers));
    return new AgentDemoReport(
        files,
        sameFiles,
        sameConversation,
        session,
        undisturbedCalls,
        calls,
        underWay,
        kills,
        more);
  }

  void print(CommandContext context, DemoPrinter narrator) {
    context.show(json(), () -> people(narrator));
    failures.forEach(failure -> context.terminal().err().println("baton: " + failure));
  }

  private void people(DemoPrinter narrator) {
    narrator.title("Result");
    narrator.line(
        "  files                  %s (%d files, commit %.8s)"
            .formatted(
                sameFiles ? "the same as undisturbed" : "DIFFERENT",
                files.digests().size(),
                files.commit()));
    narrator.line(
        "  conversation           %s, session %s"
            .formatted(sameConversation ? "the same as undisturbed" : "DIFFERENT", session));
    narrator.line(
        "  model calls paid       %d, undisturbed %d%s"
            .formatted(
                calls,
                undisturbedCalls,
                calls == undisturbedCalls
                    ? "; none was paid twice"
                    : "; at %d kills an answer was on its way".formatted(underWay)));
    for (RunnerKill kill : kills) {
      narrator.line(
          "  SIGKILL to resume      %s"
              .formatted(seconds(Objects.requireNonNull(kill.failoverMs()))));
    }
    narrator.line(
        passed() ? "  all guarantees hold; no process is left running" : "  guarantees violated:");
  }

  private static String seconds(double ms) {
    return String.format(Locale.ROOT, "%.3f s", ms / 1000);
  }

  private ObjectNode json() {
    ObjectNode json = Json.mapper().createObjectNode();
    ArrayNode list = json.putArray("kills");
    for (RunnerKill kill : kills) {
      list.addObject()
          .put("failover_ms", Math.round(Objects.requireNonNull(kill.failoverMs()) * 10) / 10.0)
          .put("run", kill.run())
          .put("epoch", kill.epoch());
    }
    json.put("same_files", sameFiles)
        .put("same_conversation", sameConversation)
        .put("session", session)
        .put("calls", calls)
        .put("under_way", underWay)
        .put("undisturbed_calls", undisturbedCalls);
    ArrayNode failed = json.putArray("failures");
    failures.forEach(failed::add);
    return json;
  }
}
