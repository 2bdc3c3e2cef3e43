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
import dev.baton.cli.command.Context;
import dev.baton.protocol.json.Json;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton cancel ID}. */
@Command(name = "cancel", description = "Stop a run for good. An ended run is a conflict.")
public final class CancelCommand implements Runnable {
  private final Context context;

  @Parameters(paramLabel = "ID", description = "A run's id, or its last six characters.")
  private String id = "";

  @Option(names = "--reason", description = "Kept in the run's trace.")
  private @Nullable String reason;

  public CancelCommand(Context context) {
    this.context = context;
  }

  @Override
  public void run() {
    String run = RunRef.parse(id).id(context.client());
    ObjectNode body = Json.mapper().createObjectNode();
    if (reason != null) {
      body.put("reason", reason);
    }
    JsonNode answer = context.client().post("/runs/" + run + "/cancel", body);
    if (context.json()) {
      context.printJson(answer);
    } else {
      context.print(RunView.displayId(answer) + " is being cancelled");
    }
  }
}
