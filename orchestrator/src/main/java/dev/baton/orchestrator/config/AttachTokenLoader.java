/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.config;

import dev.baton.protocol.net.AttachTokenFormat;
import dev.baton.protocol.net.BearerCredential;
import dev.baton.server.LoopbackChecker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads and validates {@code baton.attach.*}. */
public final class AttachTokenLoader {
  private static final String VALUES = "baton.attach.tokens";
  private static final String FILE = "baton.attach.tokens-file";

  private AttachTokenLoader() {}

  /**
   * Returns the configured tokens, those of the file last.
   *
   * @throws UncheckedIOException when the file cannot be read
   */
  public static List<String> load(OrchestratorConfig.Attach attach) {
    List<String> tokens = new ArrayList<>(attach.tokens().orElse(List.of()));
    attach.tokensFile().map(AttachTokenLoader::read).ifPresent(tokens::addAll);
    return List.copyOf(tokens);
  }

  private static List<String> read(Path file) {
    try {
      return BearerCredential.lines(Files.readString(file));
    } catch (IOException e) {
      throw new UncheckedIOException(FILE + "=" + file + ": cannot be read", e);
    }
  }

  /**
   * Returns one line per invalid setting, without any token; empty when all are valid.
   *
   * @param host to which the port that serves runners is bound
   */
  static List<String> problems(OrchestratorConfig.Attach attach, String host) {
    List<String> problems = new ArrayList<>();
    invalid(problems, VALUES, attach.tokens().orElse(List.of()));
    if (attach.tokensFile().isPresent()) {
      Path file = attach.tokensFile().get();
      try {
        List<String> lines = read(file);
        invalid(problems, FILE + "=" + file, lines);
        if (lines.isEmpty()) {
          problems.add(FILE + "=" + file + " has no token; allowed: one on each line");
        }
      } catch (UncheckedIOException e) {
        problems.add(e.getMessage() + ": " + e.getCause());
      }
    } else if (attach.tokens().isEmpty() && !LoopbackChecker.isLoopback(host)) {
      problems.add(
          "quarkus.http.host="
              + host
              + " lets other hosts attach runners, which get runs and their leases: set "
              + FILE
              + " to a file with one token per line (or "
              + VALUES
              + ") and give each runner one as baton.attach.token-file; or bind to 127.0.0.1");
    }
    return problems;
  }

  private static void invalid(List<String> problems, String key, List<String> tokens) {
    for (int i = 0; i < tokens.size(); i++) {
      if (!AttachTokenFormat.isValid(tokens.get(i))) {
        problems.add(
            key + ": token " + (i + 1) + " is not one; allowed: " + AttachTokenFormat.ALLOWED);
      }
    }
  }
}
