/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.containers;

import static org.junit.jupiter.api.Assumptions.abort;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.PullImageResultCallback;
import com.github.dockerjava.api.exception.DockerClientException;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.utility.DockerImageName;

/**
 * Resolves the images of {@code docker-compose.yml} as Compose does: a variable of the environment
 * replaces its default.
 */
final class ComposeImageResolver {
  private static final Pattern VARIABLE = Pattern.compile("\\$\\{(\\w+):-([^}]*)}");
  private static final Path FILE = Path.of("..", "docker-compose.yml");

  private static final Duration PULL_BOUND = Duration.ofMinutes(10);

  private final String compose;
  private final Map<String, String> environment;

  ComposeImageResolver(String compose, Map<String, String> environment) {
    this.compose = compose;
    this.environment = environment;
  }

  static ComposeImageResolver ofProject() throws IOException {
    return new ComposeImageResolver(Files.readString(FILE), System.getenv());
  }

  /** Returns the image of a service. */
  String image(String service) {
    Matcher image =
        Pattern.compile("\\n  " + service + ":\\n(?: {4,}.*\\n)*? {4}image: (\\S+)\\n")
            .matcher(compose);
    if (!image.find()) {
      throw new IllegalArgumentException("docker-compose.yml has no image of " + service);
    }
    return VARIABLE
        .matcher(image.group(1))
        .replaceAll(
            found ->
                Matcher.quoteReplacement(
                    Optional.ofNullable(environment.get(found.group(1)))
                        .filter(value -> !value.isEmpty())
                        .orElse(found.group(2))));
  }

  /**
   * Returns the image of a server of others once the engine has it. Where it has not and cannot
   * pull it, the test is skipped, or fails with {@code -Ddocker.required=true}.
   */
  DockerImageName pulled(String service) throws InterruptedException {
    String image = image(service);
    DockerImageName name = DockerImageName.parse(image);
    if (!exists(image)) {
      try (PullImageResultCallback pull =
          DockerClientFactory.instance()
              .client()
              .pullImageCmd(image)
              .exec(new PullImageResultCallback())) {
        if (!pull.awaitCompletion(PULL_BOUND.toSeconds(), TimeUnit.SECONDS)) {
          throw new DockerClientException("not pulled within " + PULL_BOUND);
        }
      } catch (DockerException | DockerClientException | IOException e) {
        skip(
            service,
            "the image %s cannot be pulled; set %s_IMAGE to another one, or make local ones with deploy/test/stand-ins/build: %s"
                .formatted(image, service.toUpperCase(Locale.ROOT), e));
      }
    }
    return name;
  }

  /**
   * Returns an image of Baton, which is never pulled. Where the engine does not have it, the test
   * is skipped, or fails with {@code -Ddocker.required=true}.
   */
  DockerImageName built(String service) {
    String image = image(service);
    if (!exists(image)) {
      skip(service, "the image %s is missing; build it with deploy/docker/build".formatted(image));
    }
    return DockerImageName.parse(image);
  }

  private static boolean exists(String image) {
    DockerClient client = DockerClientFactory.instance().client();
    try {
      client.inspectImageCmd(image).exec();
      return true;
    } catch (NotFoundException e) {
      return false;
    }
  }

  private static void skip(String service, String reason) {
    DockerEngineCondition.skipUnlessRequired("tests with the container " + service, reason);
    abort(reason);
  }
}
