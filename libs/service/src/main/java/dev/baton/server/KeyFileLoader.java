/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

import dev.baton.protocol.identity.AccessRole;
import dev.baton.protocol.identity.ApiKeyFormat;
import dev.baton.protocol.identity.ProjectRoles;
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

  /** A key of a file, and the roles of its callers. */
  public record FileKey(String key, ProjectRoles roles) {}

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
      read(file.get()).forEach(line -> keys.add(key(line, role)));
    }
  }

  /**
   * Parses a line: a key, which has the file's role for every project, or a key and its roles as
   * {@code PROJECT=ROLE}, which may not be higher.
   *
   * @throws IllegalArgumentException without the key
   */
  private static FileKey key(String line, AccessRole highest) {
    List<String> words = List.of(line.split("\\s+"));
    String key = words.getFirst();
    if (ApiKeyFormat.id(key).isEmpty()) {
      throw new IllegalArgumentException(
          "is not an API key; allowed: %s, and then PROJECT=ROLE entries"
              .formatted(ApiKeyFormat.ALLOWED));
    }
    if (words.size() == 1) {
      return new FileKey(key, ProjectRoles.everywhere(highest));
    }
    ProjectRoles roles = ProjectRoles.parse(words.subList(1, words.size()));
    if (roles.highest().compareTo(highest) > 0) {
      throw new IllegalArgumentException(
          "has the role %s, which keys of this file may not have; allowed: up to %s"
              .formatted(roles.highest().label(), highest.label()));
    }
    return new FileKey(key, roles);
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
    settings.adminKeysFile().ifPresent(file -> check(ADMINS, file, AccessRole.ADMIN, problems));
    settings.viewerKeysFile().ifPresent(file -> check(VIEWERS, file, AccessRole.VIEWER, problems));
    if (!settings.required() && !LoopbackChecker.isLoopback(host)) {
      problems.add(
          "baton.identity.required=false gives all rights to every program of other hosts: remove"
              + " it, or bind to 127.0.0.1 (quarkus.http.host)");
    }
    return problems;
  }

  private static void check(String setting, Path file, AccessRole highest, List<String> problems) {
    try {
      List<String> keys = read(file);
      if (keys.isEmpty()) {
        problems.add(setting + "=" + file + " has no key; allowed: one on each line");
      }
      for (int i = 0; i < keys.size(); i++) {
        try {
          key(keys.get(i), highest);
        } catch (IllegalArgumentException e) {
          problems.add(
              "%s=%s: line with key %d %s".formatted(setting, file, i + 1, e.getMessage()));
        }
      }
    } catch (IOException e) {
      problems.add(setting + "=" + file + " cannot be read: " + e);
    }
  }
}
