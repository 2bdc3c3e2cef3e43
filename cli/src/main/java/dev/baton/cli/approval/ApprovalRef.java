/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.approval;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.client.OrchestratorRestClient;
import dev.baton.cli.client.RunRef;
import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import dev.baton.cli.terminal.TextEscaper;
import dev.baton.protocol.trace.RunId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * An approval as typed: its id, or the id of a run that waits for it.
 *
 * @param which of the run's approvals; null where it waits for exactly one
 */
record ApprovalRef(String text, @Nullable String which) {
  private static final int ULID = 26;

  /**
   * @throws CliException when the run waits for no approval, or for several
   */
  String resolve(OrchestratorRestClient client) {
    if (text.length() > ULID + 1
        && text.charAt(ULID) == '-'
        && RunId.isValid(text.substring(0, ULID).toLowerCase(Locale.ROOT))) {
      return text.substring(0, ULID).toLowerCase(Locale.ROOT) + text.substring(ULID);
    }
    JsonNode run = RunRef.parse(text).fetch(client);
    String wanted = which == null ? "" : " '" + which + "'";
    List<String> waiting = new ArrayList<>();
    List<String> lines = new ArrayList<>();
    for (JsonNode approval : run.path("waiting")) {
      if (!isWanted(approval)) {
        continue;
      }
      waiting.add(approval.path("approval").asText());
      lines.add(
          approval.path("approval").asText()
              + "  "
              + TextEscaper.oneLine(approval.path("prompt").asText()));
    }
    return switch (waiting.size()) {
      case 0 ->
          throw CliException.of(
              CliExitCode.CONFLICT,
              "run %s waits for no approval%s (it is %s)"
                  .formatted(text, wanted, run.path("status").asText()));
      case 1 -> waiting.getFirst();
      default ->
          throw CliException.detailed(
              CliExitCode.AMBIGUOUS,
              "run %s waits for %d approvals%s: name one of them"
                  .formatted(text, waiting.size(), wanted),
              lines);
    };
  }

  private boolean isWanted(JsonNode approval) {
    return which == null
        || approval.path("approval").asText().endsWith("-" + which)
        || approval.path("step").asText().equals(which)
        || approval.path("tool").path("call").asText("").equals(which)
        || approval.path("tool").path("name").asText("").equals(which);
  }
}
