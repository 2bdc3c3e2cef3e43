/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.protocol.workflow.McpServerDefinition;
import dev.baton.protocol.workflow.SecretReference;
import dev.baton.runner.secrets.RunSecretProvider;
import dev.baton.runner.secrets.SecretUnavailableException;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Resolves what texts of an MCP server stand for: its folders, and secrets by reference. The author
 * of a workflow writes them, so a reference needs the same permission as one of {@code secrets:}.
 * Thread-safe.
 *
 * @param server its name, for messages
 */
record McpTextResolver(String server, String workspace, String state, RunSecretProvider secrets) {
  /** Returns a word of the command with its folders; references are not resolved there. */
  String placed(String text) {
    return text.replace(McpServerDefinition.WORKSPACE, workspace)
        .replace(McpServerDefinition.STATE, state);
  }

  /**
   * Resolves the values of variables or headers.
   *
   * @throws IOException when a secret is missing or not permitted; the message names it
   */
  Map<String, String> resolved(Map<String, String> texts) throws IOException {
    Map<String, String> resolved = new HashMap<>();
    for (Map.Entry<String, String> text : texts.entrySet()) {
      resolved.put(text.getKey(), resolved(text.getKey(), text.getValue()));
    }
    return resolved;
  }

  private String resolved(String name, String text) throws IOException {
    Optional<SecretReference> reference = SecretReference.parse(text);
    if (reference.isEmpty()) {
      return placed(text);
    }
    try {
      return secrets.resolve(server + "." + name, reference.get());
    } catch (SecretUnavailableException e) {
      throw new IOException("mcp server '%s': %s".formatted(server, e.getMessage()), e);
    }
  }
}
