/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.docker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.exception.ConflictException;
import com.github.dockerjava.api.exception.InternalServerErrorException;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.Container;
import com.github.dockerjava.core.DefaultDockerClientConfig;
import com.github.dockerjava.core.DockerClientImpl;
import com.github.dockerjava.zerodep.ZerodepDockerHttpClient;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;

/**
 * The Docker host of the tests, {@code DOCKER_HOST} or the local one, with an image made of the
 * shell of this machine. Without a Docker host the tests are skipped; with {@code
 * -Ddocker.required=true} they fail.
 */
final class DockerPlace implements AutoCloseable {
  private static final String IMAGE = "baton-test/launcher-kit:1";
  private static final List<String> PROGRAMS =
      List.of("/bin/sh", "/bin/sleep", "/usr/bin/setsid", "/usr/bin/tail");
  private static final Pattern LIBRARY = Pattern.compile("(/\\S+) \\(0x");
  private static final int EXECUTABLE = 0755;

  final URI host;
  final String installation = "test-" + UUID.randomUUID().toString().substring(0, 8);
  final DockerClient client;

  private DockerPlace(URI host, DockerClient client) {
    this.host = host;
    this.client = client;
  }

  /** Connects to the Docker host, or skips the test. */
  static DockerPlace open() throws Exception {
    URI host =
        URI.create(
            Objects.requireNonNullElse(
                System.getenv("DOCKER_HOST"), "unix:///var/run/docker.sock"));
    DockerClient client =
        DockerClientImpl.getInstance(
            DefaultDockerClientConfig.createDefaultConfigBuilder()
                .withDockerHost(host.toString())
                .withDockerTlsVerify(false)
                .build(),
            new ZerodepDockerHttpClient.Builder()
                .dockerHost(host)
                .connectionTimeout(Duration.ofSeconds(5))
                .build());
    try {
      client.pingCmd().exec();
    } catch (RuntimeException e) {
      client.close();
      String reason =
          "no Docker at %s (set DOCKER_HOST to that of another one): %s".formatted(host, e);
      if (Boolean.getBoolean("docker.required")) {
        throw new IllegalStateException(reason, e);
      }
      abort(reason);
    }
    DockerPlace place = new DockerPlace(host, client);
    place.makeImage();
    return place;
  }

  private void makeImage() throws IOException, InterruptedException {
    try {
      client.inspectImageCmd(IMAGE).exec();
    } catch (NotFoundException e) {
      // The client library truncates large bodies on Unix sockets.
      Process docker =
          new ProcessBuilder("docker", "--host", host.toString(), "import", "-", IMAGE)
              .redirectErrorStream(true)
              .start();
      try (OutputStream input = docker.getOutputStream()) {
        input.write(root());
      }
      String output = new String(docker.getInputStream().readAllBytes(), UTF_8);
      assertThat(docker.waitFor()).as("docker import: %s", output).isZero();
    }
  }

  /** Returns an archive with the programs and their libraries. */
  private static byte[] root() throws IOException, InterruptedException {
    Set<String> files = new TreeSet<>(PROGRAMS);
    for (String program : PROGRAMS) {
      Process ldd = new ProcessBuilder("ldd", program).redirectErrorStream(true).start();
      Matcher library = LIBRARY.matcher(new String(ldd.getInputStream().readAllBytes(), UTF_8));
      while (library.find()) {
        files.add(library.group(1));
      }
      assertThat(ldd.waitFor()).as("ldd %s", program).isZero();
    }
    ByteArrayOutputStream archive = new ByteArrayOutputStream();
    try (TarArchiveOutputStream tar = new TarArchiveOutputStream(archive)) {
      for (String file : files) {
        byte[] content = Files.readAllBytes(Path.of(file));
        TarArchiveEntry entry = new TarArchiveEntry(file.substring(1));
        entry.setSize(content.length);
        entry.setMode(EXECUTABLE);
        tar.putArchiveEntry(entry);
        tar.write(content);
        tar.closeArchiveEntry();
      }
    }
    return archive.toByteArray();
  }

  ContainerSettings container() {
    return container(IMAGE, 256L << 20);
  }

  ContainerSettings container(String image, long memory) {
    return new ContainerSettings(
        image,
        List.of("/bin/sh", "-c", "eval \"$KIT_SCRIPT\""),
        Optional.of("none"),
        memory,
        2,
        256,
        true,
        Map.of("/tmp", "size=64m"),
        Map.of("KIT_OTHER", "other"),
        List.of(),
        false,
        false);
  }

  DockerRunnerLauncher launcher(Path logs) {
    return launcher(logs, container(), host);
  }

  DockerRunnerLauncher launcher(Path logs, ContainerSettings container, URI address) {
    return new DockerRunnerLauncher(
        new DockerLauncherSettings(
            address,
            installation,
            container,
            Map.of(),
            logs,
            Duration.ofSeconds(20),
            Duration.ofSeconds(2)));
  }

  private List<Container> containers() {
    return client
        .listContainersCmd()
        .withShowAll(true)
        .withLabelFilter(Map.of(ContainerLabels.INSTALLATION, installation))
        .exec();
  }

  int count() {
    return containers().size();
  }

  /** Returns the container of the runner, if it exists. */
  Optional<InspectContainerResponse> inspect(String runner) {
    try {
      return Optional.of(
          client.inspectContainerCmd(ContainerLabels.name(installation, runner)).exec());
    } catch (NotFoundException e) {
      return Optional.empty();
    }
  }

  private List<String> marked(String mark) {
    return containers().stream()
        .map(Container::getId)
        .filter(
            id -> {
              try {
                String[] environment =
                    Objects.requireNonNull(
                        client.inspectContainerCmd(id).exec().getConfig().getEnv());
                return Arrays.asList(environment).contains("KIT_MARK=" + mark);
              } catch (NotFoundException e) {
                return false;
              }
            })
        .toList();
  }

  int processes(String mark) {
    return marked(mark).stream().mapToInt(this::processesOf).sum();
  }

  private int processesOf(String container) {
    try {
      String[][] all =
          client.topContainerCmd(container).withPsArgs("-o pid,stat").exec().getProcesses();
      return (int) Arrays.stream(all).filter(one -> !one[1].startsWith("Z")).count();
    } catch (NotFoundException | ConflictException e) {
      return 0; // It is gone, or does not run.
    } catch (InternalServerErrorException e) {
      return 0; // It ended during the request.
    }
  }

  void kill(String mark) {
    marked(mark)
        .forEach(
            id -> {
              try {
                client.killContainerCmd(id).exec();
              } catch (NotFoundException | ConflictException e) {
                assertThat(processesOf(id)).isZero();
              }
            });
  }

  void pause(String mark) {
    marked(mark).forEach(id -> client.pauseContainerCmd(id).exec());
  }

  /** Removes all containers of this place. */
  @Override
  public void close() throws IOException {
    for (Container container : containers()) {
      try {
        client.removeContainerCmd(container.getId()).withForce(true).exec();
      } catch (NotFoundException | ConflictException e) {
        assertThat(processesOf(container.getId())).isZero();
      }
    }
    client.close();
  }
}
