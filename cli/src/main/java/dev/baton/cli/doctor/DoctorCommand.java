/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.doctor;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.command.CliExitCode;
import dev.baton.cli.command.CommandContext;
import dev.baton.protocol.json.Json;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code baton doctor}. */
@Command(
    name = "doctor",
    description = {
      "Check the installation: JDK, folders, disk space, caches, built modules, ports and the stack.",
      "Exit code 1: there is a problem. `baton milestones doctor` checks a repository's milestones."
    },
    footer = {
      "%nExamples:",
      "  baton doctor",
      "  baton doctor --data ~/baton-test -o json | jq '.checks[] | select(.ok | not)'"
    })
public final class DoctorCommand implements Callable<Integer> {
  private final CommandContext context;

  public DoctorCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    List<CheckResult> results = InstallationChecker.of(context).check();
    boolean healthy = results.stream().allMatch(CheckResult::isOk);
    if (context.json()) {
      ObjectNode all = Json.mapper().createObjectNode();
      all.put("healthy", healthy);
      ArrayNode checks = all.putArray("checks");
      results.forEach(each -> checks.add(each.json()));
      context.printJson(all);
    } else {
      results.forEach(this::print);
    }
    return (healthy ? CliExitCode.OK : CliExitCode.FAILED).number();
  }

  private void print(CheckResult result) {
    String word = result.isOk() ? context.style().good("ok     ") : context.style().bad("problem");
    String line = "%s  %s: %s".formatted(word, result.name(), result.found());
    context.print(result.fix() == null ? line : line + "; " + result.fix());
  }
}
