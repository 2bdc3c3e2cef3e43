/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

import dev.baton.protocol.identity.AccessRole;
import dev.baton.protocol.identity.ApiKeyFormat;
import dev.baton.protocol.net.BearerCredential;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads the files with API keys: keys that exist without the database. */
public final class KeyFileLoader {
  private static final String ADMINS = "baton.identity.admin-keys-file";
  private static final String VIEWERS = "baton.identity.viewer-keys-file";
  private static final int MAX_BYTES = 1 << 20;

  private KeyFileLoader() {}

  /**
   * The settings of {@code baton.identity}.
   *
   * @param required whether callers need an identity
   */
  public record Settings(
      boolean required, Optional<Path> adminKeysFile, Optional<Path> viewerKeysFile) {}

  /** A key of a file, and the role of its callers. */
  public record FileKey(String key, AccessRole role) {}

  /** Returns the keys of both files. */
  public static List<FileKey> load(Settings settings) throws IOException {
    List<FileKey> keys = new ArrayList<>();
    add(keys, settings.adminKeysFile(), AccessRole.ADMIN);
    add(keys, settings.viewerKeysFile(), AccessRole.VIEWER);
    return keys;
  }

  private static void add(List<FileKey> keys, Optional<Path> file, AccessRole role)
      throws IOException {
    if (file.isPresent()) {
      read(file.get()).forEach(key -> keys.add(new FileKey(key, role)));
    }
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
  public static List<String> problems(Settings settings, String host) {
    List<String> problems = new ArrayList<>();
    settings.adminKeysFile().ifPresent(file -> check(ADMINS, file, problems));
    settings.viewerKeysFile().ifPresent(file -> check(VIEWERS, file, problems));
    if (!settings.required() && !LoopbackChecker.isLoopback(host)) {
      problems.add(
          "baton.identity.required=false gives all rights to every program of other hosts: remove"
              + " it, or bind to 127.0.0.1 (quarkus.http.host)");
    }
    return problems;
  }

  private static void check(String setting, Path file, List<String> problems) {
    try {
      List<String> keys = read(file);
      if (keys.isEmpty()) {
        problems.add(setting + "=" + file + " has no key; allowed: one on each line");
      }
      for (int i = 0; i < keys.size(); i++) {
        if (ApiKeyFormat.id(keys.get(i)).isEmpty()) {
          problems.add(
              "%s=%s: line with key %d is not an API key; allowed: %s"
                  .formatted(setting, file, i + 1, ApiKeyFormat.ALLOWED));
        }
      }
    } catch (IOException e) {
      problems.add(setting + "=" + file + " cannot be read: " + e);
    }
  }
}
