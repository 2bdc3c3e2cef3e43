/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.workflow;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import dev.baton.cli.command.CommandContext;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.workflow.DefinitionProblem;
import dev.baton.protocol.workflow.Workflow;
import dev.baton.protocol.workflow.WorkflowParseResult;
import dev.baton.protocol.workflow.WorkflowSchema;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton validate FILE…}: needs no server. */
@Command(
    name = "validate",
    description = {
      "Check workflow definitions, and explain what they do.",
      "YAML, JSON, or DOT (by the ending .dot or .gv). Needs no server."
    },
    footer = {
      "%nExamples:",
      "  baton validate build.yaml",
      "  baton validate examples/*.yaml -o json",
      "  baton validate --schema > workflow.schema.json"
    })
public final class ValidateCommand implements Runnable {
  private final CommandContext context;

  @Option(names = "--schema", description = "Print the JSON Schema of definitions instead.")
  private boolean schema;

  @Parameters(paramLabel = "FILE", arity = "0..*", description = "Definitions.")
  private List<Path> files = List.of();

  public ValidateCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public void run() {
    if (schema) {
      context.printJson(WorkflowSchema.json());
      return;
    }
    if (files.isEmpty()) {
      throw CliException.usage("the definition is missing: baton validate FILE");
    }
    ArrayNode all = Json.mapper().createArrayNode();
    int invalid = 0;
    for (Path path : files) {
      WorkflowParseResult parsed = new DefinitionFile(path).parse();
      ObjectNode result = all.addObject().put("file", path.toString());
      switch (parsed) {
        case WorkflowParseResult.Valid valid -> tell(path, valid, result);
        case WorkflowParseResult.Invalid(List<DefinitionProblem> problems) -> {
          invalid++;
          tell(path, problems, result);
        }
      }
    }
    if (context.json()) {
      context.printJson(files.size() == 1 ? all.get(0) : all);
    }
    if (invalid > 0) {
      throw CliException.of(
          CliExitCode.USAGE,
          files.size() == 1
              ? files.getFirst() + " is not a valid definition"
              : "%d of %d files are not valid definitions".formatted(invalid, files.size()));
    }
  }

  private void tell(Path path, WorkflowParseResult.Valid valid, ObjectNode result) {
    WorkflowExplainer explanation = new WorkflowExplainer(valid.workflow());
    result.put("valid", true).put("name", valid.workflow().name()).put("hash", valid.hash());
    explanation.description().ifPresent(text -> result.put("description", text));
    result.set("warnings", problems(valid.warnings()));
    result.set("steps", explanation.json());
    Workflow workflow = valid.workflow();
    if (workflow.flow().usesFiles()) {
      ArrayNode leftOut = result.putObject("workspace").putArray("exclude");
      workflow.exclude().orElse(Workflow.DEFAULT_EXCLUDE).forEach(leftOut::add);
    }
    if (context.json()) {
      return;
    }
    context.print(
        "%s is valid: %s, %d steps, %s"
            .formatted(
                path,
                valid.workflow().name(),
                valid.workflow().allSteps().size(),
                valid.hash().substring(0, 19)));
    explanation.description().ifPresent(text -> text.lines().forEach(context::print));
    explanation.lines().forEach(line -> context.print("  " + line));
    if (workflow.flow().usesFiles()) {
      context.print("  " + leftOut(workflow.exclude()));
    }
    valid
        .warnings()
        .forEach(warning -> context.terminal().err().println(line(path, "warning: ", warning)));
  }

  private static String leftOut(Optional<List<String>> exclude) {
    List<String> patterns = exclude.orElse(Workflow.DEFAULT_EXCLUDE);
    return "left out of checkpoints, unless git tracks it: %s%s"
        .formatted(
            patterns.isEmpty() ? "nothing" : String.join(", ", patterns),
            exclude.isPresent() ? "" : " (the defaults; 'workspace.exclude' replaces them)");
  }

  private void tell(Path path, List<DefinitionProblem> problems, ObjectNode result) {
    result.put("valid", false);
    result.set("problems", problems(problems));
    problems.forEach(problem -> context.terminal().err().println(line(path, "", problem)));
  }

  /** Formats {@code FILE:LINE:COLUMN: …}, which editors can open. */
  private static String line(Path path, String what, DefinitionProblem problem) {
    String at = problem.line() > 0 ? ":%d:%d".formatted(problem.line(), problem.column()) : "";
    String step = problem.step() == null ? "" : "step " + problem.step() + ": ";
    String allowed = problem.allowed() == null ? "" : "; allowed: " + problem.allowed();
    return path + at + ": " + what + step + problem.message() + allowed;
  }

  private static ArrayNode problems(List<DefinitionProblem> problems) {
    ArrayNode all = Json.mapper().createArrayNode();
    for (DefinitionProblem problem : problems) {
      ObjectNode one =
          all.addObject().put("message", problem.message()).put("allowed", problem.allowed());
      one.put("step", problem.step()).put("path", problem.path());
      one.put("line", problem.line()).put("column", problem.column());
    }
    return all;
  }
}
