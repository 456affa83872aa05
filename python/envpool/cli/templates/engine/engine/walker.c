#include "walker.h"

#include <math.h>
#include <stdlib.h>

struct walker {
  double length;
  double position;
};

walker* walker_new(double length) {
  walker* self = malloc(sizeof(walker));
  if (self != NULL) *self = (walker){length, 0.0};
  return self;
}

void walker_free(walker* self) { free(self); }

int walker_place(walker* self, double position) {
  if (!isfinite(position)) return WALKER_NOT_FINITE;
  self->position = fmin(fmax(position, 0.0), self->length);
  return WALKER_OK;
}

int walker_move(walker* self, double metres) { return walker_place(self, self->position + metres); }

double walker_position(const walker* self) { return self->position; }

const char* walker_describe(int error) {
  return error == WALKER_NOT_FINITE ? "a position is not a finite number" : "no error";
}
