/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.docker;

import com.github.dockerjava.api.exception.ConflictException;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import dev.baton.launcher.LaunchException;
import dev.baton.launcher.LaunchSpec;
import dev.baton.protocol.retry.Backoff;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Creates and starts the container of a runner, or finds the one that was created under its name.
 * Docker accepts a name once, so starts are idempotent between instances. Thread-safe.
 */
final class ContainerStarter {
  /** For several seconds: Docker reserves a name before it shows the container that has it. */
  private static final int ATTEMPTS = 12;

  private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
  private static final Duration MAX_PAUSE = Duration.ofSeconds(1);
  private static final int SERVER_ERROR = 500;
  private static final Pattern MESSAGE = Pattern.compile("\\{\"message\":\"(.*)\"}\\s*$");

  private final DockerLauncherSettings settings;
  private final DockerEngine engine;
  private final ImagePuller puller;

  ContainerStarter(DockerLauncherSettings settings, DockerEngine engine) {
    this.settings = settings;
    this.engine = engine;
    this.puller = new ImagePuller(engine);
  }

  /**
   * @param created receives the container before it is started, since it may end at once
   * @return the container; it may have ended
   */
  DockerContainer start(LaunchSpec spec, Consumer<DockerContainer> created) throws LaunchException {
    String name = ContainerLabels.name(settings.installation(), spec.runner());
    Backoff backoff = Backoff.exponential(FIRST_PAUSE, MAX_PAUSE);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Optional<DockerContainer> found = create(spec, settings.of(spec.pool()));
      if (found.isEmpty()) {
        found = engine.find(name);
      }
      if (found.isEmpty()) {
        // Its image was just pulled, the earlier container was just removed, or another instance is
        // creating it.
        if (!backoff.pauseUnlessInterrupted()) {
          break;
        }
        continue;
      }
      DockerContainer container = found.get();
      if (!isOwn(container, spec.runner())) {
        throw new LaunchException.RejectedException(
            "cannot start runner %s: container %s was not created for it; remove that container"
                .formatted(spec.runner(), name));
      }
      created.accept(container);
      return container.isCreated() ? start(container) : container;
    }
    throw new LaunchException.UnavailableException(
        "cannot start runner "
            + spec.runner()
            + ": its container is created or removed at the same time",
        new IllegalStateException(name));
  }

  boolean isOwn(DockerContainer container, String runner) {
    return container.installation().equals(settings.installation())
        && container.runner().equals(runner);
  }

  /**
   * @return empty when a container of this name exists, or the image has been pulled
   */
  private Optional<DockerContainer> create(LaunchSpec spec, ContainerSettings container)
      throws LaunchException {
    try {
      return Optional.of(
          DockerContainer.created(engine.create(spec, container), settings.installation(), spec));
    } catch (ConflictException e) {
      return Optional.empty();
    } catch (NotFoundException e) {
      if (!message(e).contains("image")) {
        throw new LaunchException.RejectedException("cannot start a container: " + message(e), e);
      }
      if (!container.isPulled()) {
        throw ImagePuller.missing(container.image(), "container.pull is false", e);
      }
      puller.require(container.image());
      return Optional.empty();
    } catch (DockerException e) {
      if (e.getHttpStatus() < SERVER_ERROR || isDiskFull(e)) {
        throw refusal(e);
      }
      throw new LaunchException.UnavailableException(
          "cannot start a container: Docker failed: " + message(e), e);
    }
  }

  /**
   * Starts a created container.
   *
   * @throws LaunchException when it is not started; it is then removed
   */
  DockerContainer start(DockerContainer container) throws LaunchException {
    try {
      engine.start(container.id());
    } catch (DockerException e) {
      Optional<DockerContainer> now = engine.find(container.id());
      if (now.isPresent() && !now.get().isCreated() && now.get().isLive()) {
        return now.get(); // Another instance has started it.
      }
      engine.remove(container.id());
      throw refusal(e);
    }
    return container.started();
  }

  private static LaunchException refusal(DockerException answer) {
    String message = "cannot start a container: " + message(answer);
    return isDiskFull(answer)
        ? new LaunchException.NoRoomException(message)
        : new LaunchException.RejectedException(message, answer);
  }

  private static boolean isDiskFull(DockerException answer) {
    return message(answer).contains("no space left");
  }

  /** Returns Docker's words without the JSON around them. */
  static String message(DockerException answer) {
    String text = String.valueOf(answer.getMessage());
    Matcher json = MESSAGE.matcher(text);
    return json.find() ? json.group(1).replace("\\\"", "\"").replace("\\n", " ") : text;
  }
}
