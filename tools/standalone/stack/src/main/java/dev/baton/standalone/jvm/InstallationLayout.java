/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.jvm;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Locates the programs' jars: in a checkout (each module's {@code target}) or in an installed
 * folder ({@code lib/kafka}, {@code lib/s3}, {@code lib/checkpoint-store} …).
 *
 * @param home the checkout's root or the installed folder
 */
public record InstallationLayout(Path home) {

  /**
   * Property that sets {@link #home()} if it cannot be derived from this class's location or the
   * working folder.
   */
  public static final String HOME_PROPERTY = "baton.home";

  private static final String HOME_VARIABLE = "BATON_HOME";

  /**
   * Finds the home: the property {@code baton.home}, the variable {@code BATON_HOME}, the folders
   * above this class's jar, those above the working folder.
   *
   * @throws IllegalStateException when none is a checkout or an installed folder
   */
  public static InstallationLayout find() {
    String named = System.getProperty(HOME_PROPERTY, System.getenv(HOME_VARIABLE));
    if (named != null && !named.isBlank()) {
      Path home = Path.of(named).toAbsolutePath().normalize();
      if (!isHome(home)) {
        throw new IllegalStateException(
            "BATON_HOME (" + home + ") is neither a Baton checkout nor an installed Baton");
      }
      return new InstallationLayout(home);
    }
    return above(ownPlace())
        .or(() -> above(Path.of("").toAbsolutePath()))
        .map(InstallationLayout::new)
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "no Baton checkout found above the working folder; set BATON_HOME to it"));
  }

  /** The embedded Kafka. */
  public JvmProgram kafka() throws IOException {
    return server("kafka", "dev.baton.standalone.kafka.KafkaServer");
  }

  /** The embedded S3 server. */
  public JvmProgram s3() throws IOException {
    return server("s3", "dev.baton.standalone.s3.S3Server");
  }

  /**
   * A module packaged by Quarkus: {@code checkpoint-store}, {@code orchestrator}, {@code runner}.
   *
   * @throws IOException when it is not built
   */
  public JvmProgram packaged(String module) throws IOException {
    Path folder =
        isInstalled()
            ? home.resolve("lib").resolve(module)
            : home.resolve(module).resolve("target/quarkus-app");
    Path jar = folder.resolve("quarkus-run.jar");
    if (!Files.isRegularFile(jar)) {
      throw new IOException(
          module
              + " is not built, "
              + jar
              + " is missing; build it with ./mvnw -DskipTests package");
    }
    return new JvmProgram(module, jarsBelow(folder), new JvmProgram.Start.Jar(jar));
  }

  private JvmProgram server(String name, String mainClass) throws IOException {
    List<Path> jars = new ArrayList<>();
    if (isInstalled()) {
      jars.addAll(jarsBelow(home.resolve("lib").resolve(name)));
    } else {
      Path target = home.resolve("tools/standalone").resolve(name).resolve("target");
      jars.addAll(ownJars(target, "baton-standalone-" + name));
      jars.addAll(jarsBelow(target.resolve("lib")));
    }
    if (jars.size() < 2) {
      throw new IOException(
          "the embedded "
              + name
              + " is not built (searched in "
              + home
              + "); build it with ./mvnw -DskipTests -pl tools/standalone/"
              + name
              + " package");
    }
    return new JvmProgram(name, jars, new JvmProgram.Start.MainClass(mainClass));
  }

  private boolean isInstalled() {
    return isInstalled(home);
  }

  private static List<Path> ownJars(Path target, String prefix) throws IOException {
    return jarsBelow(target).stream()
        .filter(jar -> target.equals(jar.getParent()))
        .filter(jar -> jar.getFileName().toString().startsWith(prefix))
        .filter(jar -> !jar.getFileName().toString().matches(".*-(sources|javadoc|tests)\\.jar"))
        .toList();
  }

  private static List<Path> jarsBelow(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(folder, 4)) {
      return files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
    }
  }

  private static Optional<Path> above(@Nullable Path start) {
    for (Path folder = start; folder != null; folder = folder.getParent()) {
      if (isHome(folder)) {
        return Optional.of(folder);
      }
    }
    return Optional.empty();
  }

  /** Whether the folder is a checkout or an installed Baton. */
  public static boolean isHome(Path folder) {
    return isInstalled(folder)
        || (Files.isDirectory(folder.resolve(".mvn"))
            && Files.isDirectory(folder.resolve("tools/standalone")));
  }

  private static boolean isInstalled(Path folder) {
    return Files.isDirectory(folder.resolve("lib/kafka"));
  }

  private static @Nullable Path ownPlace() {
    try {
      var source = InstallationLayout.class.getProtectionDomain().getCodeSource();
      return source == null ? null : Path.of(source.getLocation().toURI());
    } catch (URISyntaxException
        | IllegalArgumentException
        | java.nio.file.FileSystemNotFoundException e) {
      // The class was not loaded from a file: the working folder is tried next.
      return null;
    }
  }
}
