/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.client.RunRef;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.terminal.TextTable;
import dev.baton.cli.terminal.TimeFormatter;
import dev.baton.protocol.json.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code baton turns ID}. */
@Command(
    name = "turns",
    description =
        "Show the turns of a run's agents: each answer of a model, its cost, and the tools that it"
            + " calls. With -o json: one turn per line.")
public final class TurnsCommand implements Runnable {
  private final CommandContext context;
  private final TextTable table =
      new TextTable("TURN", "TIME", "STEP", "MODEL", "TOOK", "TOKENS", "USD", "TOOLS");

  @Parameters(paramLabel = "ID", description = "A run's id, or its last six characters.")
  private String id = "";

  public TurnsCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public void run() {
    String run = RunRef.parse(id).id(context.client());
    new RunTurnReader(context.client())
        .read(
            run,
            turn -> {
              accept(turn);
              return true;
            });
    if (!context.json()) {
      context.print(table, "no turns");
    }
  }

  private void accept(RunTurnReader.Turn turn) {
    JsonNode data = turn.event().data();
    if (context.json()) {
      ObjectNode line = Json.mapper().createObjectNode().put("turn", turn.number());
      line.put("time", String.valueOf(turn.event().time())).put("checkpoint", turn.checkpoint());
      data.properties()
          .forEach(
              member -> {
                if (!member.getKey().equals("answer")) {
                  line.set(member.getKey(), member.getValue());
                }
              });
      context.printJsonLine(line);
    } else {
      row(turn, data);
    }
  }

  private void row(RunTurnReader.Turn turn, JsonNode data) {
    List<String> tools = new ArrayList<>();
    data.path("tools").forEach(tool -> tools.add(tool.asText()));
    table.row(
        Integer.toString(turn.number()),
        TimeFormatter.clock(turn.event().time()),
        data.path("step").asText(),
        data.path("model").asText(),
        TimeFormatter.duration(Duration.ofMillis(data.path("ms").asLong())),
        tokens(data.path("usage")),
        data.path("cost").isNumber() ? data.path("cost").decimalValue().toPlainString() : "unknown",
        (data.has("answer") ? "" : "broke off ") + String.join(", ", tools));
  }

  /** Returns the tokens in and out, those of caches included. */
  static String tokens(JsonNode usage) {
    return usage.isObject()
        ? Long.toString(
            usage.path("input").asLong()
                + usage.path("cache_read").asLong()
                + usage.path("cache_write").asLong()
                + usage.path("cache_write_long").asLong()
                + usage.path("output").asLong())
        : "unknown";
  }
}
