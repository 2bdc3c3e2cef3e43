/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.secrets;

import dev.baton.protocol.pattern.WildcardMatcher;
import dev.baton.protocol.workflow.SecretReference;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Decides which sources of secrets workflows may use on this runner, so that their authors cannot
 * read other variables and files of its machine. Commands are permitted by their program: their
 * arguments are the workflow's.
 */
public final class SecretSourcePolicy {
  /** The setting that names the permitted sources. */
  public static final String KEY = "baton.secrets.sources";

  /** Variables that are made for workflows, and a folder that is. */
  public static final String DEFAULT = "env:BATON_SECRET_*,file:/run/secrets/workflows/**";

  /** What is allowed in the setting. */
  public static final String ALLOWED =
      "none, or sources separated by commas: env:NAME with '*' for any part, file:/path or file:/folder/**, vault:path or vault:path/**, command:/path/of/program";

  private static final String ENV = "env:";
  private static final String FILE = "file:";
  private static final String VAULT = "vault:";
  private static final String COMMAND = "command:";
  private static final String BELOW = "/**";

  private final List<String> variables = new ArrayList<>();
  private final List<String> files = new ArrayList<>();
  private final List<String> vaultPaths = new ArrayList<>();
  private final List<String> programs = new ArrayList<>();

  private SecretSourcePolicy() {}

  /**
   * @throws IllegalArgumentException with the part that is not a source
   */
  public static SecretSourcePolicy parse(String setting) {
    SecretSourcePolicy policy = new SecretSourcePolicy();
    if (setting.strip().equals("none")) {
      return policy;
    }
    for (String part : setting.split(",", -1)) {
      policy.add(part.strip());
    }
    return policy;
  }

  private void add(String source) {
    if (source.startsWith(ENV) && source.substring(ENV.length()).matches("[A-Za-z0-9_*]+")) {
      variables.add(source.substring(ENV.length()));
    } else if (source.startsWith(FILE) && isPath(source.substring(FILE.length()))) {
      files.add(source.substring(FILE.length()));
    } else if (source.startsWith(VAULT) && isVaultPath(source.substring(VAULT.length()))) {
      vaultPaths.add(source.substring(VAULT.length()));
    } else if (source.startsWith(COMMAND)
        && isPath(source.substring(COMMAND.length()))
        && !source.endsWith(BELOW)) {
      programs.add(source.substring(COMMAND.length()));
    } else {
      throw new IllegalArgumentException(source);
    }
  }

  private static boolean isPath(String path) {
    String bare = path.endsWith(BELOW) ? path.substring(0, path.length() - BELOW.length()) : path;
    return bare.length() > 1
        && bare.startsWith("/")
        && !bare.contains("*")
        && Path.of(bare).normalize().toString().equals(bare);
  }

  /** Of a whole mount, at least: other paths of Vault's API are not secrets. */
  private static boolean isVaultPath(String path) {
    String bare = path.endsWith(BELOW) ? path.substring(0, path.length() - 2) + "x" : path;
    return SecretReference.vault(bare + "#field").isPresent();
  }

  /** Whether a workflow may use this source; a file also needs {@link #permits(Path)}. */
  boolean permits(SecretReference reference) {
    return switch (reference) {
      case SecretReference.Env(String variable) ->
          variables.stream().anyMatch(name -> WildcardMatcher.matches(name, variable));
      case SecretReference.File(String path) ->
          files.stream().anyMatch(file -> contains(file, Path.of(path)));
      case SecretReference.Vault(String path, _) ->
          vaultPaths.stream()
              .anyMatch(
                  permitted ->
                      permitted.endsWith(BELOW)
                          ? path.startsWith(permitted.substring(0, permitted.length() - 2))
                          : path.equals(permitted));
      case SecretReference.Command(List<String> words) -> programs.contains(words.getFirst());
    };
  }

  /**
   * Whether a file is permitted where its links lead to.
   *
   * @param real without links
   */
  boolean permits(Path real) {
    return files.stream().anyMatch(file -> contains(realSource(file), real));
  }

  private static boolean contains(String source, Path file) {
    return source.endsWith(BELOW)
        ? file.startsWith(source.substring(0, source.length() - BELOW.length()))
        : file.toString().equals(source);
  }

  /** The permitted folder itself may be a link; a permitted file may be one, too. */
  private static String realSource(String source) {
    boolean below = source.endsWith(BELOW);
    Path path = Path.of(below ? source.substring(0, source.length() - BELOW.length()) : source);
    try {
      return path.toRealPath() + (below ? BELOW : "");
    } catch (IOException missing) {
      return source;
    }
  }
}
