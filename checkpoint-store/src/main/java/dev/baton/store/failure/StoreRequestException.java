/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.failure;

/** A request that cannot be served; the message is meant for the caller. */
public final class StoreRequestException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The kind of failure, which determines how the caller should react. */
  public enum Kind {
    /** The request is wrong; do not retry it. */
    INVALID,
    /** The object does not exist. */
    NOT_FOUND,
    /**
     * The current state does not allow the request; the message begins with a code for the reason.
     */
    REFUSED,
    /** A newer epoch holds the run; the runner must stop. */
    FENCED,
    /** The data has not been stored yet; retry later. */
    NOT_YET,
    /** The request needs more memory than is available. */
    EXHAUSTED,
    /** A dependency of the store is unavailable; retry soon. */
    UNAVAILABLE
  }

  private final Kind kind;

  private StoreRequestException(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  public static StoreRequestException invalid(String message) {
    return new StoreRequestException(Kind.INVALID, message);
  }

  public static StoreRequestException notFound(String message) {
    return new StoreRequestException(Kind.NOT_FOUND, message);
  }

  public static StoreRequestException refused(String message) {
    return new StoreRequestException(Kind.REFUSED, message);
  }

  public static StoreRequestException fenced(String message) {
    return new StoreRequestException(Kind.FENCED, message);
  }

  public static StoreRequestException notYet(String message) {
    return new StoreRequestException(Kind.NOT_YET, message);
  }

  public static StoreRequestException exhausted(String message) {
    return new StoreRequestException(Kind.EXHAUSTED, message);
  }

  public static StoreRequestException unavailable(String message) {
    return new StoreRequestException(Kind.UNAVAILABLE, message);
  }

  public Kind kind() {
    return kind;
  }
}
