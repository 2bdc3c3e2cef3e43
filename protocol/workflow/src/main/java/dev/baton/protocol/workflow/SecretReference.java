/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where the runner finds the value of a secret. Only the reference is part of a definition and of
 * the trace, never the value.
 */
public sealed interface SecretReference {
  /** Names of secrets. */
  Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,63}");

  /** Names of variables. */
  Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");

  /** A secret of Vault: the path of Vault's API below {@code /v1/}, and a field. */
  Pattern VAULT =
      Pattern.compile(
          "((?!\\.\\.?[/#])[A-Za-z0-9_.~-]+(?:/(?!\\.\\.?[/#])[A-Za-z0-9_.~-]+)+)#([^\\p{Cntrl}#]{1,256})");

  /** Maximum number of secrets of a workflow. */
  int MAX_SECRETS = 100;

  /** Returns a short form for messages, such as {@code env:NPM_TOKEN}. */
  String describe();

  /**
   * Returns the reference that a text of an MCP server is: {@code env:NAME}, {@code file:/path} or
   * {@code vault:path#field}; empty for other text.
   */
  static Optional<SecretReference> parse(String text) {
    if (text.startsWith("env:") && VARIABLE.matcher(text.substring(4)).matches()) {
      return Optional.of(new Env(text.substring(4)));
    }
    if (text.startsWith("vault:")) {
      return vault(text.substring(6));
    }
    return text.startsWith("file:/")
        ? Optional.of(new File(Path.of(text.substring(5)).normalize().toString()))
        : Optional.empty();
  }

  /** Returns the reference to a secret of Vault, {@code path#field}; empty for other text. */
  static Optional<SecretReference> vault(String text) {
    Matcher parts = VAULT.matcher(text);
    return parts.matches()
        ? Optional.of(new Vault(parts.group(1), parts.group(2)))
        : Optional.empty();
  }

  /** A variable in the environment of the runner. */
  record Env(String variable) implements SecretReference {
    @Override
    public String describe() {
      return "env:" + variable;
    }
  }

  /**
   * A file on the machine of the runner.
   *
   * @param path absolute and normalized
   */
  record File(String path) implements SecretReference {
    @Override
    public String describe() {
      return "file:" + path;
    }
  }

  /**
   * A field of a secret in a KV engine of Vault.
   *
   * @param path of Vault's API below {@code /v1/}, such as {@code secret/data/ci/npm}
   */
  record Vault(String path, String field) implements SecretReference {
    @Override
    public String describe() {
      return "vault:" + path + "#" + field;
    }
  }

  /**
   * Standard output of a program that the runner starts.
   *
   * @param words the program and its arguments
   */
  record Command(List<String> words) implements SecretReference {
    public Command {
      words = List.copyOf(words);
    }

    @Override
    public String describe() {
      return "command:" + words.getFirst();
    }
  }
}
