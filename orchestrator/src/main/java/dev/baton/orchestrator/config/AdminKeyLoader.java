/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.config;

import dev.baton.protocol.identity.ApiKeyFormat;
import dev.baton.protocol.net.BearerCredential;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads {@code baton.identity.admin-keys-file}: the keys that exist without the database. */
public final class AdminKeyLoader {
  private static final String KEY = "baton.identity.admin-keys-file";
  private static final int MAX_BYTES = 1 << 20;

  private AdminKeyLoader() {}

  /** Returns the keys of the file; empty without one. */
  public static List<String> load(OrchestratorConfig.Identity identity) throws IOException {
    return identity.adminKeysFile().isPresent() ? read(identity.adminKeysFile().get()) : List.of();
  }

  private static List<String> read(Path file) throws IOException {
    if (Files.size(file) > MAX_BYTES) {
      throw new IOException("it is larger than " + MAX_BYTES + " bytes");
    }
    return BearerCredential.lines(Files.readString(file));
  }

  /**
   * Returns one line per invalid setting, without any key; empty when all are valid.
   *
   * @param host to which the port is bound
   */
  static List<String> problems(OrchestratorConfig.Identity identity, String host) {
    List<String> problems = new ArrayList<>();
    identity.adminKeysFile().ifPresent(file -> check(file, problems));
    if (!identity.required() && !LoopbackChecker.isLoopback(host)) {
      problems.add(
          "baton.identity.required=false lets other hosts start runs, whose steps execute any"
              + " program: remove it, or bind to 127.0.0.1 (quarkus.http.host)");
    }
    return problems;
  }

  private static void check(Path file, List<String> problems) {
    try {
      List<String> keys = read(file);
      if (keys.isEmpty()) {
        problems.add(KEY + "=" + file + " has no key; allowed: one on each line");
      }
      for (int i = 0; i < keys.size(); i++) {
        if (ApiKeyFormat.id(keys.get(i)).isEmpty()) {
          problems.add(
              "%s=%s: line with key %d is not an API key; allowed: %s"
                  .formatted(KEY, file, i + 1, ApiKeyFormat.ALLOWED));
        }
      }
    } catch (IOException e) {
      problems.add(KEY + "=" + file + " cannot be read: " + e);
    }
  }
}
