/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.client.PageReader;
import dev.baton.cli.client.RunRef;
import dev.baton.cli.client.UrlQueryBuilder;
import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.command.JsonArgumentReader;
import dev.baton.cli.workflow.DefinitionFile;
import dev.baton.protocol.json.Json;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton resume ID}. */
@Command(
    name = "resume",
    description =
        "Resume a run that failed, was lost or is paused, at the step that failed or is next."
            + " Completed steps are not run again, unless requested.",
    footer = {
      "%nExamples:",
      "  baton resume 4v8k2m --wait",
      "  baton resume 4v8k2m --from test --set 'steps.build.output={\"version\": 7}'",
      "  baton resume 4v8k2m --skip lint",
      "  baton resume 4v8k2m --budget cost=20",
      "  baton resume 4v8k2m --file release.yaml --accept-changes",
      "  baton resume --failed --workflow release"
    })
public final class ResumeCommand implements Callable<Integer> {
  private static final int MOST = 10_000;
  private static final Pattern SET =
      Pattern.compile("steps\\.(.+?)\\.output:?=(.*)", Pattern.DOTALL);

  private static final Pattern BUDGET =
      Pattern.compile("(cost|tokens|turns)=([0-9]{1,15}(?:\\.[0-9]{1,9})?)");

  private final CommandContext context;

  @Parameters(
      arity = "0..1",
      paramLabel = "ID",
      description = "A run's id, or its last six characters.")
  private @Nullable String id;

  @Option(
      names = "--from",
      paramLabel = "STEP",
      description =
          "Run this step of the main line again, and all later ones, on the files from before it.")
  private @Nullable String from;

  @Option(
      names = "--set",
      paramLabel = "steps.STEP.output=JSON",
      description = "Correct the output of a completed step; may be repeated.")
  private List<String> set = new ArrayList<>();

  @Option(
      names = "--skip",
      paramLabel = "STEP",
      description = "Skip the step that failed or is next; may be repeated.")
  private List<String> skip = new ArrayList<>();

  @Option(
      names = "--file",
      paramLabel = "FILE",
      description =
          "The definition to continue with. If it was changed, only prints the differences.")
  private @Nullable Path file;

  @Option(
      names = "--accept-changes",
      description =
          "Accept a changed --file if it still has all completed steps, with the same kind and"
              + " inputs.")
  private boolean acceptChanges;

  @Option(
      names = "--budget",
      paramLabel = "NAME=NUMBER",
      description =
          "Replace a budget of its agent steps: cost (US dollars), tokens or turns; may be"
              + " repeated.")
  private List<String> budget = new ArrayList<>();

  @Option(
      names = "--by",
      paramLabel = "NAME",
      description = "The name of the person that corrects it. Default: $$USER.")
  private @Nullable String by;

  @Option(names = "--failed", description = "Resume all failed runs, at most 10,000.")
  private boolean failed;

  @Option(names = "--workflow", description = "With --failed: only runs of this workflow.")
  private @Nullable String workflow;

  @Mixin private StartedRunFollower started = new StartedRunFollower();

  public ResumeCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    if ((id == null) == !failed) {
      throw CliException.usage("give a run's id, or --failed for all failed runs");
    }
    if (workflow != null && !failed) {
      throw CliException.usage("--workflow requires --failed; a single run is named by its id");
    }
    if (acceptChanges && file == null) {
      throw CliException.usage("--accept-changes requires --file");
    }
    ObjectNode body = body();
    if (id == null) {
      if (body.size() > 0) {
        throw CliException.usage("--from, --set, --skip, --file and --budget are for one run");
      }
      return resumeAll();
    }
    String run = RunRef.parse(id).id(context.client());
    JsonNode resumed = resume(run, body);
    return started.show(context, resumed, "resumed", resumed.path("epoch").asInt(1));
  }

  private ObjectNode body() {
    ObjectNode body = Json.mapper().createObjectNode();
    if (from != null) {
      body.put("from", from);
    }
    if (!set.isEmpty()) {
      ObjectNode outputs = body.putObject("set");
      set.forEach(text -> correct(text, outputs));
    }
    if (!skip.isEmpty()) {
      skip.forEach(body.putArray("skip")::add);
    }
    if (!budget.isEmpty()) {
      ObjectNode limits = body.putObject("budget");
      budget.forEach(text -> limit(text, limits));
    }
    if (file != null) {
      body.put("definition", new DefinitionFile(file).text());
      body.put("accept_changes", acceptChanges);
    }
    if (!body.isEmpty()) {
      context.putAuthor(body, by);
    }
    return body;
  }

  private static void limit(String text, ObjectNode limits) {
    Matcher matcher = BUDGET.matcher(text);
    if (!matcher.matches()) {
      throw CliException.usage(
          "--budget '%s' is not allowed; allowed: cost=20, tokens=500000 or turns=100"
              .formatted(text));
    }
    String name = matcher.group(1);
    BigDecimal number = new BigDecimal(matcher.group(2));
    try {
      if (number.signum() <= 0) {
        throw CliException.usage("--budget '%s' is not allowed; allowed: above 0".formatted(text));
      }
      if (name.equals("cost")) {
        limits.put(name, number);
      } else {
        limits.put(name, number.longValueExact());
      }
    } catch (ArithmeticException e) {
      throw CliException.usage(
          "--budget '%s' is not allowed; allowed: a whole number".formatted(text));
    }
  }

  private static void correct(String text, ObjectNode outputs) {
    Matcher matcher = SET.matcher(text);
    if (!matcher.matches()) {
      throw CliException.usage(
          "--set '%s' is not allowed; allowed: steps.STEP.output=JSON".formatted(text));
    }
    try {
      JsonNode output = JsonArgumentReader.read(matcher.group(2));
      if (output == null || output.isMissingNode()) {
        throw CliException.usage("--set '%s' has no value; allowed: JSON".formatted(text));
      }
      outputs.set(matcher.group(1), output);
    } catch (JacksonException e) {
      throw CliException.usage(
          "--set: '%s' is not valid JSON (a text is in double quotes): %s"
              .formatted(matcher.group(2), e.getOriginalMessage()));
    }
  }

  private JsonNode resume(String run, ObjectNode body) {
    return context.client().post("/runs/" + run + "/resume", body);
  }

  private int resumeAll() {
    if (started.waits()) {
      throw CliException.usage("--wait and --follow are for one run");
    }
    JsonNode found =
        PageReader.read(
            context.client(),
            "runs",
            MOST,
            () -> UrlQueryBuilder.of("/runs").with("status", "failed").with("workflow", workflow));
    ArrayNode resumed = Json.mapper().createArrayNode();
    int refused = 0;
    for (JsonNode run : found.path("runs")) {
      try {
        JsonNode answer = resume(run.path("id").asText(), Json.mapper().createObjectNode());
        resumed.add(answer);
        if (!context.json()) {
          context.print("run " + answer.path("id").asText() + " resumed");
        }
      } catch (CliException e) {
        if (e.code() != CliExitCode.CONFLICT) {
          throw e;
        }
        // Other runs may still be resumed.
        refused++;
        context.terminal().err().println("baton: " + e.line());
      }
    }
    if (context.json()) {
      context.printJson(Json.mapper().createObjectNode().set("runs", resumed));
    } else if (resumed.isEmpty() && refused == 0) {
      context.print("no runs have failed");
    }
    return (refused == 0 ? CliExitCode.OK : CliExitCode.CONFLICT).number();
  }
}
