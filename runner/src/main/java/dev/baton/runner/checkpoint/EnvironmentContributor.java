/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.checkpoint;

import dev.baton.runner.process.VariableNamePattern;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Records the environment variables of steps whose names are allowed. Never records a variable
 * whose name looks like a secret's, even if it is allowed, or a password in a URL.
 */
final class EnvironmentContributor implements CheckpointContributor {
  private static final Pattern PASSWORD = Pattern.compile("(://[^/@\\s:]*):[^/@\\s]*@");

  private final Map<String, String> variables;
  private final List<Pattern> allowed;

  /**
   * @param allowed names, in which {@code *} matches any characters
   */
  EnvironmentContributor(Map<String, String> variables, List<String> allowed) {
    this.variables = variables;
    this.allowed = allowed.stream().map(VariableNamePattern::of).toList();
  }

  @Override
  public String name() {
    return "environment";
  }

  @Override
  public void contribute(ManifestDraft draft) {
    variables.forEach(
        (name, value) -> {
          if (!SecretNamePolicy.looksSecret(name)
              && allowed.stream().anyMatch(pattern -> pattern.matcher(name).matches())) {
            draft.environment(name, PASSWORD.matcher(value).replaceAll("$1:***@"));
          }
        });
  }
}
