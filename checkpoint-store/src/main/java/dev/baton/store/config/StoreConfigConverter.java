/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.config;

import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Pattern;
import org.eclipse.microprofile.config.spi.Converter;

/**
 * Converts and bounds the values of configuration keys. The configuration adds the key to an error,
 * the converter what is allowed.
 */
public final class StoreConfigConverter {
  private static final Duration TEN_YEARS = Duration.ofDays(3_650);

  private StoreConfigConverter() {}

  private static IllegalArgumentException wrong(String value, String allowed) {
    return new IllegalArgumentException("'" + value + "' is not allowed here: " + allowed);
  }

  private static long between(String value, String what, long least, long most) {
    if (value.matches("[0-9]{1,10}")) {
      long number = Long.parseLong(value);
      if (number >= least && number <= most) {
        return number;
      }
    }
    throw wrong(value, "%s from %d to %d".formatted(what, least, most));
  }

  private static Duration between(String value, Duration least, Duration most) {
    String allowed = "a duration from " + least + " to " + most;
    try {
      Duration duration = Duration.parse(value.startsWith("P") ? value : "PT" + value);
      if (duration.compareTo(least) >= 0 && duration.compareTo(most) <= 0) {
        return duration;
      }
    } catch (java.time.format.DateTimeParseException e) {
      throw new IllegalArgumentException(wrong(value, allowed).getMessage(), e);
    }
    throw wrong(value, allowed);
  }

  /** A TCP port. */
  public static final class Port implements Converter<Integer> {
    @Override
    public Integer convert(String value) {
      return (int) between(value, "a port", 1, 65_535);
    }
  }

  /** A host, user or key: printable ASCII without blanks. */
  public static final class Name implements Converter<String> {
    private static final Pattern FORM = Pattern.compile("[!-~]{1,255}");

    @Override
    public String convert(String value) {
      if (!FORM.matcher(value).matches()) {
        throw wrong(value, "1 to 255 printable ASCII characters without blanks");
      }
      return value;
    }
  }

  /** An S3 bucket's name. */
  public static final class Bucket implements Converter<String> {
    private static final Pattern FORM = Pattern.compile("[a-z0-9][a-z0-9-]{1,61}[a-z0-9]");

    @Override
    public String convert(String value) {
      if (!FORM.matcher(value).matches()) {
        throw wrong(value, "3 to 63 lower-case letters, digits and inner hyphens");
      }
      return value;
    }
  }

  /** The HTTP URL of a server. */
  public static final class HttpUrl implements Converter<URI> {
    @Override
    public URI convert(String value) {
      String allowed = "http://host:port or https://host:port";
      URI uri;
      try {
        uri = URI.create(value);
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(wrong(value, allowed).getMessage(), e);
      }
      boolean http = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      if (!http || uri.getHost() == null) {
        throw wrong(value, allowed);
      }
      return uri;
    }
  }

  /** The validity of a presigned URL: S3 allows at most seven days. */
  public static final class UrlLife implements Converter<Duration> {
    @Override
    public Duration convert(String value) {
      return between(value, Duration.ofMinutes(1), Duration.ofDays(7));
    }
  }

  /** The time that a request may wait. */
  public static final class Wait implements Converter<Duration> {
    @Override
    public Duration convert(String value) {
      return between(value, Duration.ofMillis(100), Duration.ofSeconds(60));
    }
  }

  /** The total size of the states in memory. */
  public static final class SnapshotBytes implements Converter<Long> {
    @Override
    public Long convert(String value) {
      return between(value, "bytes", 1 << 20, 1 << 30);
    }
  }

  /** The maximum size of a commit of the archive. */
  public static final class ArchiveBytes implements Converter<Long> {
    @Override
    public Long convert(String value) {
      return between(value, "bytes", 0, 8L << 30);
    }
  }

  /** The absolute path of a folder. */
  public static final class Folder implements Converter<Path> {
    @Override
    public Path convert(String value) {
      String allowed = "the absolute path of a folder";
      Path path;
      try {
        path = Path.of(value);
      } catch (InvalidPathException e) {
        throw new IllegalArgumentException(wrong(value, allowed).getMessage(), e);
      }
      if (!path.isAbsolute()) {
        throw wrong(value, allowed);
      }
      return path;
    }
  }

  /** The delay before a task starts. */
  public static final class Delay implements Converter<Duration> {
    @Override
    public Duration convert(String value) {
      return between(value, Duration.ZERO, Duration.ofHours(1));
    }
  }

  /** The time between two passes of a periodic task. */
  public static final class Period implements Converter<Duration> {
    @Override
    public Duration convert(String value) {
      return between(value, Duration.ofSeconds(1), Duration.ofDays(7));
    }
  }

  /** A maximum age. */
  public static final class Age implements Converter<Duration> {
    @Override
    public Duration convert(String value) {
      return between(value, Duration.ofSeconds(1), TEN_YEARS);
    }
  }

  /** A grace period, which must be longer than an upload takes. */
  public static final class Grace implements Converter<Duration> {
    @Override
    public Duration convert(String value) {
      return between(value, Duration.ofMinutes(2), TEN_YEARS);
    }
  }

  /** The number of objects to keep. */
  public static final class Count implements Converter<Integer> {
    @Override
    public Integer convert(String value) {
      return (int) between(value, "a number", 1, 1_000_000);
    }
  }

  /** A rate in bytes per second. */
  public static final class Rate implements Converter<Long> {
    @Override
    public Long convert(String value) {
      return between(value, "bytes a second", 0, 1 << 30);
    }
  }
}
