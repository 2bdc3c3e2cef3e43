/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.deadletter;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.client.PageReader;
import dev.baton.cli.client.RunRef;
import dev.baton.cli.client.UrlQueryBuilder;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.terminal.TextEscaper;
import dev.baton.cli.terminal.TimeFormatter;
import java.io.PrintStream;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code baton dead-letters}. */
@Command(
    name = "dead-letters",
    description = {
      "List the records that Baton could not read, newest first: where they were, what is wrong",
      "with them, and what their producer can do. They are kept for 7 days."
    },
    footer = {
      "%nExamples:",
      "  baton dead-letters",
      "  baton dead-letters --run 7c9e2f --limit 1",
      "  baton dead-letters --topic baton.heartbeats --reason missing_field",
      "  baton dead-letters -o json | jq -r '.dead_letters[].message'"
    })
public final class DeadLettersCommand implements Runnable {
  /** Maximum characters of a line of text. */
  private static final int WIDEST = 1_000;

  /** Maximum characters of the shown start of a value. */
  private static final int WIDEST_VALUE = 160;

  private final CommandContext context;

  @Option(
      names = "--run",
      paramLabel = "ID",
      description = "Only records of this run, by their key or event id.")
  private @Nullable String run;

  @Option(
      names = "--topic",
      description =
          "Only records of this topic: baton.trace, baton.heartbeats, baton.signals or baton.logs.")
  private @Nullable String topic;

  @Option(
      names = "--reason",
      paramLabel = "CODE",
      description = "Only records with this reason, for example missing_field.")
  private @Nullable String reason;

  @Option(names = "--limit", description = "Maximum number of records. Default: ${DEFAULT-VALUE}.")
  private int limit = 20;

  public DeadLettersCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public void run() {
    PageReader.check(limit);
    String of = run == null ? null : RunRef.parse(run).text();
    JsonNode found =
        PageReader.read(
            context.client(),
            "dead_letters",
            limit,
            () ->
                UrlQueryBuilder.of("/dead-letters")
                    .with("run", of)
                    .with("topic", topic)
                    .with("reason", reason));
    if (context.json()) {
      context.printJson(found);
      return;
    }
    JsonNode letters = found.path("dead_letters");
    if (letters.isEmpty()) {
      context.print("no dead letters");
      return;
    }
    Instant now = Instant.now();
    PrintStream out = context.terminal().out();
    String gap = "";
    for (JsonNode letter : letters) {
      out.print(gap);
      print(letter, now, out);
      gap = System.lineSeparator();
    }
  }

  private void print(JsonNode letter, Instant now, PrintStream out) {
    out.printf(
        "%s  %s  %s%n",
        TimeFormatter.ago(TimeFormatter.instant(letter.path("time")), now),
        place(letter),
        context.style().bold(letter.path("reason").asText()));
    field(out, "key", letter.path("key"), WIDEST);
    field(out, "id", letter.path("id"), WIDEST);
    field(out, "type", letter.path("type"), WIDEST);
    field(out, "problem", letter.path("message"), WIDEST);
    field(out, "hint", letter.path("hint"), WIDEST);
    field(out, "value", letter.path("value"), WIDEST_VALUE);
  }

  private static String place(JsonNode letter) {
    String topic = TextEscaper.oneLine(letter.path("topic").asText(), WIDEST);
    long offset = letter.path("offset").asLong(-1);
    return offset < 0
        ? topic
        : "%s-%d offset %d".formatted(topic, letter.path("partition").asInt(), offset);
  }

  private static void field(PrintStream out, String name, JsonNode value, int widest) {
    if (value.isTextual()) {
      out.printf("  %-8s %s%n", name, TextEscaper.oneLine(value.asText(), widest));
    }
  }
}
