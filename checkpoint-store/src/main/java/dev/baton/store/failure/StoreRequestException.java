/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.failure;

/** A request that cannot be answered; the message is for the caller. */
public final class StoreRequestException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** What the caller may do about it. */
  public enum Kind {
    /** Ask something else: the request is wrong. */
    INVALID,
    /** There is no such thing. */
    NOT_FOUND,
    /** The world is not as the request takes it to be; the message begins with a word for it. */
    REFUSED,
    /** Stop: a newer epoch holds the run. */
    FENCED,
    /** Ask again later: it has not been stored yet. */
    NOT_YET,
    /** It needs more memory than there is for it. */
    EXHAUSTED,
    /** Ask again soon: something behind the store is away. */
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
