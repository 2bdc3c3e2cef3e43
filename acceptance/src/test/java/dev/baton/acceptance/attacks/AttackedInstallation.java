/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.attacks;

import dev.baton.standalone.ServiceReplica;
import dev.baton.standalone.StackComponent;
import dev.baton.standalone.StandaloneStack;
import dev.baton.standalone.files.DirectoryTreeDeleter;
import dev.baton.standalone.jvm.InstallationLayout;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The services of one version with the servers of this tree, with leases required, and with all
 * that the version has to authenticate callers and runners.
 */
final class AttackedInstallation implements AutoCloseable {
  private static final String ATTACH_TOKEN = "admits-runners-of-other-hosts";
  private static final int LOG_LINES = 60;

  private final Path folder;
  private final StandaloneStack stack;
  private final AttackTarget target;

  private AttackedInstallation(Path folder, StandaloneStack stack, AttackTarget target) {
    this.folder = folder;
    this.stack = stack;
    this.target = target;
  }

  static AttackedInstallation start(AttackTarget.Version version, InstallationLayout programs)
      throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("baton-attacks-");
    StandaloneStack stack =
        StandaloneStack.builder()
            .data(folder.resolve("stack"))
            .components(StackComponent.KAFKA, StackComponent.POSTGRES, StackComponent.S3)
            .start();
    try {
      ServiceReplica store =
          stack.replica(
              programs, StackComponent.STORE, port(stack.storeUrl()), environment(version));
      ServiceReplica orchestrator =
          stack.replica(
              programs,
              StackComponent.ORCHESTRATOR,
              port(stack.orchestratorUrl()),
              environment(version));
      // The store gets the keys of leases from the orchestrator, once it needs one.
      store.start();
      orchestrator.start();
      boolean authenticates = version == AttackTarget.Version.NOW;
      AttackTarget target =
          new AttackTarget(
              version,
              URI.create(orchestrator.url()),
              URI.create(store.url()),
              stack.kafkaBootstrap(),
              authenticates ? Optional.of(stack.apiKey()) : Optional.empty(),
              authenticates ? Optional.of(ATTACH_TOKEN) : Optional.empty(),
              Files.createDirectory(folder.resolve("attacks")));
      return new AttackedInstallation(folder, stack, target);
    } catch (IOException | InterruptedException | RuntimeException e) {
      stack.close();
      throw e;
    }
  }

  /**
   * The same settings for both versions, of which the earlier one does not have all. Its own stack
   * started runners with the option that is added, which this one does not.
   */
  private static Map<String, String> environment(AttackTarget.Version version) {
    Map<String, String> environment = new HashMap<>(StepAttackFamily.SECRET_VARIABLES);
    environment.put("BATON_LEASE_REQUIRED", "true");
    environment.put("BATON_ATTACH_TOKENS", ATTACH_TOKEN);
    if (version == AttackTarget.Version.BEFORE) {
      environment.put("JDK_JAVA_OPTIONS", "-XX:+ExitOnOutOfMemoryError");
    }
    return environment;
  }

  private static int port(String url) {
    return URI.create(url).getPort();
  }

  AttackTarget target() {
    return target;
  }

  /** Prints the ends of all logs. */
  void printLogs() throws IOException {
    try (Stream<Path> logs = Files.walk(folder)) {
      for (Path log : logs.filter(path -> path.toString().endsWith(".log")).sorted().toList()) {
        List<String> lines = Files.readAllLines(log);
        System.out.println("--- end of " + log);
        lines.stream().skip(Math.max(0, lines.size() - LOG_LINES)).forEach(System.out::println);
      }
    }
  }

  @Override
  public void close() throws IOException {
    stack.close();
    DirectoryTreeDeleter.delete(folder);
  }
}
