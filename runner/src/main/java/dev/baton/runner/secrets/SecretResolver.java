/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.secrets;

import dev.baton.protocol.tls.TlsSettings;
import dev.baton.protocol.workflow.SecretReference;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Resolves references to secrets on the machine of the runner, again for each use, so that a
 * rotated secret takes effect with the next step. Values are text of 6 to 65,536 bytes without NUL;
 * line ends at the end are not part of them.
 */
public final class SecretResolver {
  /** Maximum bytes of a value. */
  public static final int MAX_BYTES = 64 * 1024;

  /** Shorter values occur in any text, so that masking them would destroy logs. */
  public static final int MIN_CHARACTERS = 6;

  private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(30);

  private final SecretSourcePolicy policy;
  private final Map<String, String> environment;
  private final Duration commandTimeout;
  private final Optional<VaultClient> vault;

  public SecretResolver(SecretSourcePolicy policy, Map<String, String> environment) {
    this(policy, environment, COMMAND_TIMEOUT, Optional.empty());
  }

  /** Resolves with the environment of this process, without Vault. */
  public static SecretResolver ofProcess(SecretSourcePolicy policy) {
    return new SecretResolver(policy, System.getenv());
  }

  /**
   * Resolves with the environment of this process.
   *
   * @param tls whose authorities Vault's certificate may have, in addition to those of the JDK
   */
  public static SecretResolver ofProcess(
      SecretSourcePolicy policy, Optional<VaultSettings> vault, TlsSettings tls) {
    return new SecretResolver(
        policy,
        System.getenv(),
        COMMAND_TIMEOUT,
        vault.map(settings -> new VaultClient(settings, tls, VaultClient.Limits.DEFAULT)));
  }

  SecretResolver(
      SecretSourcePolicy policy,
      Map<String, String> environment,
      Duration commandTimeout,
      Optional<VaultClient> vault) {
    this.policy = policy;
    this.environment = Map.copyOf(environment);
    this.commandTimeout = commandTimeout;
    this.vault = vault;
  }

  /**
   * @param name as the workflow declares it, for messages
   * @throws SecretUnavailableException when it is not permitted, missing or not valid
   */
  public String resolve(String name, SecretReference reference) {
    String what = "secret '%s' (%s)".formatted(name, reference.describe());
    if (!policy.permits(reference)) {
      throw denied(what, reference);
    }
    byte[] bytes =
        switch (reference) {
          case SecretReference.Env(String variable) -> {
            String value = environment.get(variable);
            if (value == null) {
              throw missing(what, "this runner has no such variable");
            }
            yield value.getBytes(StandardCharsets.UTF_8);
          }
          case SecretReference.File(String path) -> file(what, reference, Path.of(path));
          case SecretReference.Vault it ->
              vault
                  .orElseThrow(
                      () -> missing(what, "this runner has no Vault; set " + VaultSettings.ADDRESS))
                  .read(what, it)
                  .getBytes(StandardCharsets.UTF_8);
          case SecretReference.Command(List<String> words) -> command(what, words);
        };
    return checked(what, bytes);
  }

  private static SecretUnavailableException denied(String what, SecretReference reference) {
    String source =
        reference instanceof SecretReference.Vault(String path, _)
            ? "vault:" + path
            : reference.describe();
    return missing(
        what,
        "this runner does not permit the source; add %s to %s (BATON_SECRETS_SOURCES) of the runner"
            .formatted(source, SecretSourcePolicy.KEY));
  }

  private static SecretUnavailableException missing(String what, String why) {
    return new SecretUnavailableException(what + ": " + why, false);
  }

  private byte[] file(String what, SecretReference reference, Path path) {
    try {
      Path real = path.toRealPath();
      if (!policy.permits(real)) {
        throw denied(what + ", a link to another place", reference);
      }
      if (!Files.isRegularFile(real)) {
        throw missing(what, "it is not a regular file");
      }
      try (InputStream in = Files.newInputStream(real)) {
        return in.readNBytes(MAX_BYTES + 1);
      }
    } catch (NoSuchFileException e) {
      throw missing(what, "the file does not exist");
    } catch (IOException e) {
      throw missing(what, "it cannot be read: " + e.getClass().getSimpleName());
    }
  }

  private byte[] command(String what, List<String> words) {
    Process process;
    try {
      ProcessBuilder builder = new ProcessBuilder(words);
      builder.environment().clear();
      builder.environment().putAll(environment);
      process =
          builder
              .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
    } catch (IOException e) {
      throw missing(what, "it cannot be started");
    }
    try {
      CompletableFuture<byte[]> output =
          CompletableFuture.supplyAsync(
              () -> read(process), task -> Thread.ofVirtual().name("secret").start(task));
      byte[] bytes = output.get(commandTimeout.toMillis(), TimeUnit.MILLISECONDS);
      if (bytes.length > MAX_BYTES) {
        return bytes;
      }
      if (!process.waitFor(commandTimeout.toMillis(), TimeUnit.MILLISECONDS)) {
        throw slow(what);
      }
      if (process.exitValue() != 0) {
        throw new SecretUnavailableException(
            what + ": it ended with exit code " + process.exitValue(), true);
      }
      return bytes;
    } catch (TimeoutException e) {
      throw slow(what);
    } catch (ExecutionException e) {
      throw new SecretUnavailableException(what + ": its output cannot be read", true);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SecretUnavailableException(what + ": interrupted", true);
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  private SecretUnavailableException slow(String what) {
    return new SecretUnavailableException(
        "%s: it did not end within %d ms".formatted(what, commandTimeout.toMillis()), true);
  }

  private static byte[] read(Process process) {
    try (InputStream in = process.getInputStream()) {
      return in.readNBytes(MAX_BYTES + 1);
    } catch (InterruptedIOException e) {
      return new byte[0];
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static String checked(String what, byte[] bytes) {
    if (bytes.length > MAX_BYTES) {
      throw missing(what, "it has more than " + MAX_BYTES + " bytes");
    }
    String value;
    try {
      value = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw missing(what, "it is not text in UTF-8");
    }
    int end = value.length();
    while (end > 0 && (value.charAt(end - 1) == '\n' || value.charAt(end - 1) == '\r')) {
      end--;
    }
    String text = value.substring(0, end);
    if (text.indexOf('\0') >= 0) {
      throw missing(what, "it contains a NUL character");
    }
    if (text.strip().length() < MIN_CHARACTERS) {
      throw missing(
          what,
          "it has fewer than "
              + MIN_CHARACTERS
              + " characters: to mask it in logs would destroy them");
    }
    return text;
  }
}
