/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.secrets;

import dev.baton.protocol.expression.SecretProvider;
import dev.baton.protocol.workflow.SecretReference;
import java.util.Map;
import org.jboss.logging.Logger;

/**
 * Provides the secrets of one run to its steps, and has each value masked before a step gets it.
 * Thread-safe.
 */
public final class RunSecretProvider implements SecretProvider {
  /** For runs without secrets. */
  public static final RunSecretProvider NONE =
      new RunSecretProvider(
          "",
          Map.of(),
          new SecretResolver(SecretSourcePolicy.parse("none"), Map.of()),
          new SecretMasker(),
          SecretCheckpointPolicy.ALLOW);

  private static final Logger LOG = Logger.getLogger(RunSecretProvider.class);

  private final String run;
  private final Map<String, SecretReference> references;
  private final SecretResolver resolver;
  private final SecretMasker masker;
  private final SecretFileGuard files;
  private boolean known;

  /**
   * @param masker gets each value
   * @param checkpoints what happens to files with secrets
   */
  public RunSecretProvider(
      String run,
      Map<String, SecretReference> references,
      SecretResolver resolver,
      SecretMasker masker,
      SecretCheckpointPolicy checkpoints) {
    this.run = run;
    this.references = Map.copyOf(references);
    this.resolver = resolver;
    this.masker = masker;
    this.files = new SecretFileGuard(masker, checkpoints);
  }

  public SecretMasker masker() {
    return masker;
  }

  /** Keeps secrets out of checkpoints. */
  public SecretFileGuard files() {
    return files;
  }

  /**
   * Resolves all secrets of the workflow once, before the first step of this process: steps of
   * earlier processes may have left their values in files, which a step without secrets could
   * print.
   */
  public synchronized void learn() {
    if (references.isEmpty() || known) {
      return;
    }
    known = true;
    boolean vault = true;
    for (Map.Entry<String, SecretReference> secret : references.entrySet()) {
      boolean ofVault = secret.getValue() instanceof SecretReference.Vault;
      if (ofVault && !vault) {
        continue;
      }
      try {
        value(secret.getKey());
      } catch (SecretUnavailableException e) {
        // A step that uses it fails with this reason.
        LOG.debugf("run %s: %s", run, e.getMessage());
        // Each further secret would wait for Vault again.
        vault &= !(ofVault && e.isTemporary());
      }
    }
  }

  /**
   * @throws SecretUnavailableException as {@link SecretResolver#resolve}
   */
  @Override
  public String value(String name) {
    SecretReference reference = references.get(name);
    if (reference == null) {
      throw new SecretUnavailableException(
          "secret '%s': the workflow declares none, and the run's input has no reference of this name"
              .formatted(name),
          false);
    }
    return resolve(name, reference);
  }

  /**
   * Resolves a reference that a step contains itself; its value is masked as others are.
   *
   * @param name of what gets the value, for messages and for its mask
   * @throws SecretUnavailableException as {@link SecretResolver#resolve}
   */
  public String resolve(String name, SecretReference reference) {
    String value = resolver.resolve(name, reference);
    masker.add(name, value);
    return value;
  }
}
