/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.docker;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.async.ResultCallback;
import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.command.PullImageCmd;
import com.github.dockerjava.api.command.PullImageResultCallback;
import com.github.dockerjava.api.exception.ConflictException;
import com.github.dockerjava.api.exception.DockerClientException;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.exception.NotModifiedException;
import com.github.dockerjava.api.model.Container;
import com.github.dockerjava.api.model.Frame;
import com.github.dockerjava.core.DefaultDockerClientConfig;
import com.github.dockerjava.core.DockerClientConfig;
import com.github.dockerjava.core.DockerClientImpl;
import com.github.dockerjava.core.NameParser;
import com.github.dockerjava.zerodep.ZerodepDockerHttpClient;
import dev.baton.launcher.LaunchException.UnavailableException;
import dev.baton.launcher.LaunchSpec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to one Docker host. Each is bounded by the settings' timeout and throws {@link
 * UnavailableException} without an answer. An answer that is an error is one, too, except that
 * {@link #create}, {@link #start}, {@link #log} and {@link #events} throw the client's {@link
 * DockerException}. Thread-safe.
 */
final class DockerEngine implements AutoCloseable {
  private static final int CONNECTIONS = 64;
  private static final int LOG_LINES = 10_000;
  private static final int LOG_BYTES = 1 << 20;
  private static final Duration CONNECT = Duration.ofSeconds(5);

  private final DockerLauncherSettings settings;
  private final ContainerRequestFactory requests;
  private final DockerClient client;
  private final BoundedCaller calls;

  DockerEngine(DockerLauncherSettings settings) {
    this.settings = settings;
    this.requests = new ContainerRequestFactory(settings.installation());
    this.calls = new BoundedCaller(settings.host(), settings.callTimeout());
    DockerClientConfig config =
        DefaultDockerClientConfig.createDefaultConfigBuilder()
            .withDockerHost(settings.host().toString())
            .withDockerTlsVerify(false)
            .build();
    this.client =
        DockerClientImpl.getInstance(
            config,
            new ZerodepDockerHttpClient.Builder()
                .dockerHost(settings.host())
                .connectionTimeout(CONNECT)
                .maxConnections(CONNECTIONS)
                .build());
  }

  /** Returns the container with this id or name; empty when there is none. */
  Optional<DockerContainer> find(String container) throws UnavailableException {
    return inspect(container)
        .map(
            found ->
                DockerContainer.of(
                    found.getId(),
                    found.getConfig().getLabels(),
                    Objects.requireNonNullElse(found.getState().getStatus(), "dead"),
                    time(found.getCreated())));
  }

  /** Returns how an ended container has ended; empty when there is none. */
  Optional<ContainerExit> exit(String container) throws UnavailableException {
    return inspect(container)
        .map(
            found -> {
              InspectContainerResponse.ContainerState state = found.getState();
              String error = state.getError();
              Long memory = found.getHostConfig().getMemory();
              Long code = state.getExitCodeLong();
              return new ContainerExit(
                  code == null ? -1 : code.intValue(),
                  Boolean.TRUE.equals(state.getOOMKilled()),
                  error == null || error.isBlank() ? null : error,
                  memory == null ? 0 : memory,
                  time(state.getFinishedAt()));
            });
  }

  private Optional<InspectContainerResponse> inspect(String container) throws UnavailableException {
    return query(
        "inspect a container",
        () -> {
          try {
            return Optional.of(client.inspectContainerCmd(container).exec());
          } catch (NotFoundException e) {
            return Optional.empty();
          }
        });
  }

  /** For requests whose refusal by Docker is like no answer: they are repeated. */
  private <T> T query(String what, Callable<T> request) throws UnavailableException {
    try {
      return calls.call(what, request);
    } catch (DockerException e) {
      throw new UnavailableException(
          "Docker at %s failed (%s): %s"
              .formatted(settings.host(), what, ContainerStarter.message(e)),
          e);
    }
  }

  private static Instant time(@Nullable String text) {
    try {
      return text == null ? Instant.EPOCH : Instant.parse(text);
    } catch (DateTimeParseException e) {
      return Instant.EPOCH;
    }
  }

  /** Returns all containers of the installation, ended ones included. */
  List<DockerContainer> list() throws UnavailableException {
    return query(
        "list containers",
        () -> {
          List<DockerContainer> found = new ArrayList<>();
          for (Container container :
              client
                  .listContainersCmd()
                  .withShowAll(true)
                  .withLabelFilter(Map.of(ContainerLabels.INSTALLATION, settings.installation()))
                  .exec()) {
            found.add(
                DockerContainer.of(
                    container.getId(),
                    container.getLabels(),
                    Objects.requireNonNullElse(container.getState(), "dead"),
                    Instant.ofEpochSecond(Objects.requireNonNullElse(container.getCreated(), 0L))));
          }
          return found;
        });
  }

  /**
   * Creates the container of a runner.
   *
   * @return its id
   */
  String create(LaunchSpec spec, ContainerSettings container) throws UnavailableException {
    return calls.call(
        "create a container", () -> requests.create(client, spec, container).exec().getId());
  }

  /** No effect on a container that has been started. */
  void start(String container) throws UnavailableException {
    calls.call(
        "start a container",
        () -> {
          try {
            client.startContainerCmd(container).exec();
          } catch (NotModifiedException e) {
            return false;
          }
          return true;
        });
  }

  /** No effect when the container does not exist or has no process. */
  void signal(String container, String signal) throws UnavailableException {
    query(
        "signal a container",
        () -> {
          try {
            client.killContainerCmd(container).withSignal(signal).exec();
          } catch (NotFoundException | ConflictException e) {
            return false;
          }
          return true;
        });
  }

  /** Removes a container with its anonymous volumes; one that is live is killed first. */
  void remove(String container) throws UnavailableException {
    query(
        "remove a container",
        () -> {
          try {
            client.removeContainerCmd(container).withForce(true).withRemoveVolumes(true).exec();
          } catch (NotFoundException | ConflictException e) {
            return false; // It is gone, or another request removes it.
          }
          return true;
        });
  }

  /** Returns the end of the container's output: at most 10,000 lines and 1 MiB. */
  byte[] log(String container) throws UnavailableException {
    return calls.call(
        "read the log of a container",
        () -> {
          ByteArrayOutputStream tail = new ByteArrayOutputStream();
          ResultCallback.Adapter<Frame> lines =
              new ResultCallback.Adapter<>() {
                @Override
                public void onNext(Frame frame) {
                  tail.writeBytes(frame.getPayload());
                }
              };
          try (lines) {
            client
                .logContainerCmd(container)
                .withStdOut(true)
                .withStdErr(true)
                .withTail(LOG_LINES)
                .exec(lines)
                .awaitCompletion();
          }
          byte[] all = tail.toByteArray();
          return all.length <= LOG_BYTES
              ? all
              : Arrays.copyOfRange(all, all.length - LOG_BYTES, all.length);
        });
  }

  /**
   * Follows the ends of the installation's containers. Returns when the stream is open, so that no
   * later end is missed.
   *
   * @param died receives the name of each runner whose container has ended, on another thread
   */
  DockerEventStream events(Consumer<String> died) throws UnavailableException {
    return calls.call(
        "follow events",
        () -> {
          DockerEventStream stream = new DockerEventStream(died);
          try {
            client
                .eventsCmd()
                .withLabelFilter(ContainerLabels.INSTALLATION + "=" + settings.installation())
                .withEventTypeFilter("container")
                .withEventFilter("die")
                .exec(stream);
            stream.awaitOpen();
            return stream;
          } catch (InterruptedException | ExecutionException | RuntimeException e) {
            stream.close();
            throw e;
          }
        });
  }

  /**
   * Pulls an image. Blocks until it is on the Docker host.
   *
   * @throws RuntimeException when it cannot be pulled within this time
   */
  void pull(String image, Duration limit) throws InterruptedException {
    NameParser.ReposTag name = NameParser.parseRepositoryTag(image);
    PullImageCmd request = client.pullImageCmd(image);
    if (!image.contains("@")) { // Without a tag Docker would pull every one.
      request = client.pullImageCmd(name.repos).withTag(name.tag.isEmpty() ? "latest" : name.tag);
    }
    if (!request
        .exec(new PullImageResultCallback())
        .awaitCompletion(limit.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new DockerClientException("not complete within " + limit.toMinutes() + " minutes");
    }
  }

  /** Idempotent; later requests fail. */
  @Override
  public void close() {
    calls.close();
    try {
      client.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
