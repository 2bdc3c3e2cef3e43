/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks in the source tree that every Kafka consumer reads only committed records. */
class CommittedReadsTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().resolveSibling(".").normalize();

  private static final Pattern OPENED = Pattern.compile("new\\s+KafkaConsumer\\s*<");
  private static final Pattern COMMITTED = Pattern.compile("READ_COMMITTED\\b|\"read_committed\"");
  private static final Pattern CHANNEL =
      Pattern.compile("(?m)^mp\\.messaging\\.incoming\\.([\\w-]+)\\.connector=smallrye-kafka$");
  private static final Pattern STREAMS =
      Pattern.compile("(?m)^quarkus\\.kafka-streams\\.application-id=");

  private static List<Path> sources(Predicate<String> name) throws IOException {
    try (Stream<Path> all =
        Files.find(
            ROOT,
            20,
            (path, is) ->
                is.isRegularFile()
                    && path.toString().contains("/src/main/")
                    && !path.toString().contains("/target/")
                    && name.test(path.getFileName().toString()))) {
      return all.toList();
    }
  }

  @Test
  void shouldReadCommittedInEveryConsumerOfTheTree() throws IOException {
    List<String> open = new ArrayList<>();
    int found = 0;
    for (Path source : sources(name -> name.endsWith(".java"))) {
      String text = Files.readString(source);
      int consumers = count(OPENED, text);
      found += consumers;
      if (consumers > count(COMMITTED, text)) {
        open.add(ROOT.relativize(source).toString());
      }
    }
    assertThat(found).as("consumers in the tree").isGreaterThan(4);
    assertThat(open).isEmpty();
  }

  @Test
  void shouldReadCommittedInEveryChannelAndTopology() throws IOException {
    List<String> open = new ArrayList<>();
    int found = 0;
    for (Path source :
        sources(name -> name.startsWith("application") && name.endsWith(".properties"))) {
      String text = Files.readString(source);
      Matcher channel = CHANNEL.matcher(text);
      while (channel.find()) {
        found++;
        require(
            text, "mp.messaging.incoming." + channel.group(1) + ".isolation.level", source, open);
      }
      if (STREAMS.matcher(text).find()) {
        found++;
        require(text, "kafka-streams.consumer.isolation.level", source, open);
      }
    }
    assertThat(found).as("channels and topologies in the tree").isGreaterThan(3);
    assertThat(open).isEmpty();
  }

  private static void require(String text, String key, Path source, List<String> open) {
    if (!text.contains("\n" + key + "=read_committed\n")) {
      open.add(ROOT.relativize(source) + ": " + key);
    }
  }

  private static int count(Pattern pattern, String text) {
    return (int) pattern.matcher(text).results().count();
  }
}
