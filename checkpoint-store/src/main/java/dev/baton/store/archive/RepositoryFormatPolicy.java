/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.archive;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.lib.Config;

/**
 * Rejects git repositories whose format JGit does not support, before JGit opens them. JGit would
 * write into such a repository as if it had the original format, with refs that git reports as
 * broken. Reads only the repository's own {@code config}.
 */
final class RepositoryFormatPolicy {
  /** The supported formats, for messages. */
  static final String SUPPORTED =
      "repositories with SHA-1 names, refs in files, and all their objects";

  private static final String EXTENSIONS = "extensions";

  /** Extensions that change neither objects nor refs. */
  private static final Set<String> HARMLESS = Set.of("noop", "worktreeconfig", "relativeworktrees");

  private static final long LONGEST_CONFIG = 4 << 20;

  private RepositoryFormatPolicy() {}

  /** The repository has a format that Baton does not write. */
  static final class UnsupportedFormatException extends IOException {
    private static final long serialVersionUID = 1L;

    UnsupportedFormatException(Path repository, List<String> found) {
      super("%s has %s; supported: %s".formatted(repository, String.join(", ", found), SUPPORTED));
    }
  }

  /**
   * Checks a repository's format.
   *
   * @param repository the folder that holds {@code config} and {@code objects}
   * @throws UnsupportedFormatException if it is not supported, or its config cannot be parsed
   */
  static void check(Path repository) throws IOException {
    List<String> found = new ArrayList<>();
    Config config = read(repository, found);
    String version = config.getString("core", null, "repositoryformatversion");
    if (version != null && !version.strip().equals("0") && !version.strip().equals("1")) {
      found.add("core.repositoryformatversion=" + version);
    }
    for (String name : config.getNames(EXTENSIONS)) {
      String key = name.toLowerCase(Locale.ROOT);
      String value = Objects.requireNonNullElse(config.getString(EXTENSIONS, null, name), "");
      boolean known =
          HARMLESS.contains(key)
              || (key.equals("objectformat") && value.equalsIgnoreCase("sha1"))
              || (key.equals("refstorage") && value.equalsIgnoreCase("files"));
      if (!known) {
        found.add(EXTENSIONS + "." + name + (value.isEmpty() ? "" : "=" + value));
      }
    }
    for (String sub : config.getSubsections(EXTENSIONS)) {
      found.add(EXTENSIONS + "." + sub);
    }
    for (String remote : config.getSubsections("remote")) {
      if (isPromisor(config, remote)
          || config.getString("remote", remote, "partialclonefilter") != null) {
        found.add("remote." + remote + " that has objects which are missing here (partial clone)");
      }
    }
    if (Files.exists(repository.resolve("reftable"))) {
      found.add("refs in a reftable");
    }
    if (!found.isEmpty()) {
      throw new UnsupportedFormatException(repository, found);
    }
  }

  /** A value that git does not accept counts as set. */
  private static boolean isPromisor(Config config, String remote) {
    try {
      return config.getBoolean("remote", remote, "promisor", false);
    } catch (IllegalArgumentException e) {
      return true;
    }
  }

  private static Config read(Path repository, List<String> found) throws IOException {
    Config config = new Config();
    Path file = repository.resolve("config");
    if (!Files.exists(file)) {
      return config;
    }
    if (Files.size(file) > LONGEST_CONFIG) {
      found.add("a config of " + Files.size(file) + " bytes");
      return config;
    }
    try {
      config.fromText(new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
    } catch (ConfigInvalidException | IllegalArgumentException e) {
      found.add("a config that cannot be understood (" + e.getMessage() + ")");
    }
    return config;
  }
}
